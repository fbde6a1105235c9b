import{a,b,c,d,e}from"./chunk-X4GM3RZ7.js";import"./chunk-666VM5HC.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
