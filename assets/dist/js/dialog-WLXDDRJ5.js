import{a,b,c,d}from"./chunk-YDCHZTMB.js";import"./chunk-25GOFXA6.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
