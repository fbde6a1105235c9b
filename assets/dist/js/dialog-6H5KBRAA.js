import{a,b,c,d}from"./chunk-RNTYX4BQ.js";import"./chunk-26DMVR46.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
