import{a,b,c,d,e}from"./chunk-GOTOFW6M.js";import"./chunk-ZJ3KMJBE.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
