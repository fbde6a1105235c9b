import{a,b,c,d}from"./chunk-VBB2ZWDE.js";import"./chunk-FWBFETDZ.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
