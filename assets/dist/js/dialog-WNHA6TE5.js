import{a,b,c,d}from"./chunk-EVXZCLVC.js";import"./chunk-4CQ4Z6MZ.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
