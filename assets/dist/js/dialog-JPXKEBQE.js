import{a,b,c,d}from"./chunk-AN5MZYOQ.js";import"./chunk-C7O4WFRF.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
