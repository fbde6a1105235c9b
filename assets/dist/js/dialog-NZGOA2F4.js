import{a,b,c,d,e}from"./chunk-ZGFVPRQX.js";import"./chunk-XGJPQGIB.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
