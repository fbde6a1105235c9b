import{a,b,c,d}from"./chunk-WBRK3RQU.js";import"./chunk-O2BWITQT.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
