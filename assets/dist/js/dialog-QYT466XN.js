import{a,b,c,d,e}from"./chunk-4G43L4VU.js";import"./chunk-J473MLUB.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
