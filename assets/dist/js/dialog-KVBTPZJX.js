import{a,b,c,d,e}from"./chunk-DCBGROID.js";import"./chunk-ZLYYUNUK.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
