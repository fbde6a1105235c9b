import{a,b,c,d,e}from"./chunk-BHR4BLKL.js";import"./chunk-HRNJ4BCK.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
