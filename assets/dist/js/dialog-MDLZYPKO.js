import{a,b,c,d}from"./chunk-BMT6XB53.js";import"./chunk-OXEJWJ42.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
