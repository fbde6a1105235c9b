import{a,b,c,d}from"./chunk-GTJZ7UJ6.js";import"./chunk-I5AKZRFI.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
