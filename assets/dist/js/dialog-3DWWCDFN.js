import{a,b,c,d}from"./chunk-B525FT4R.js";import"./chunk-SOLCFQAP.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
