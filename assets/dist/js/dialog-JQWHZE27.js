import{a,b,c,d}from"./chunk-IVLYJCLM.js";import"./chunk-BYN6CUUF.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
