import{a,b,c,d}from"./chunk-SPAY3PKJ.js";import"./chunk-SD6BEWZV.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
