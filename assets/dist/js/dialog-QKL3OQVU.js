import{a,b,c,d}from"./chunk-HRF2P6U5.js";import"./chunk-ZJINPKFA.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
