import{a,b,c,d}from"./chunk-W6XXERSF.js";import"./chunk-PHWTF36R.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
