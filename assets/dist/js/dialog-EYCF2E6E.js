import{a,b,c,d}from"./chunk-ZJNA7P6O.js";import"./chunk-EHKGRXNL.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
