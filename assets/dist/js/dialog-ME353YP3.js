import{a,b,c,d,e}from"./chunk-NAE4DMMJ.js";import"./chunk-CUQEN3FP.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
