import{a,b,c,d}from"./chunk-3UUGKZUE.js";import"./chunk-ALBOGSWR.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
