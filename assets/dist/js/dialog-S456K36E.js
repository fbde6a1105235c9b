import{a,b,c,d}from"./chunk-BLQNU475.js";import"./chunk-Y7JKISTY.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
