import{a,b,c,d}from"./chunk-EMVNXYSR.js";import"./chunk-BPNNHIHH.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
