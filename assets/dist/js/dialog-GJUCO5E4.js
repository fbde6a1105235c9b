import{a,b,c,d}from"./chunk-OIBWNGQ5.js";import"./chunk-LQ466HWL.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
