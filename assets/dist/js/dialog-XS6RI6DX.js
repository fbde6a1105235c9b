import{a,b,c,d}from"./chunk-FJ4FYV56.js";import"./chunk-OHVEOSFR.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
