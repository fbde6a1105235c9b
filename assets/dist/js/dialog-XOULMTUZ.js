import{a,b,c,d,e}from"./chunk-BACBFGQJ.js";import"./chunk-72OZATMF.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
