import{a,b,c,d}from"./chunk-2NUCBZGD.js";import"./chunk-DOVJAAKJ.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
