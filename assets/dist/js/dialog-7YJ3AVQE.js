import{a,b,c,d}from"./chunk-DKRNL5AJ.js";import"./chunk-KUWLRXZZ.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
