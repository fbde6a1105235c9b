import{a,b,c,d}from"./chunk-HNIG6DGJ.js";import"./chunk-ATYGDJKD.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
