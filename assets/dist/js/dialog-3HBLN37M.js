import{a,b,c,d}from"./chunk-FXOFJMFD.js";import"./chunk-V7EGR3YF.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
