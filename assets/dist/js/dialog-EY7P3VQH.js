import{a,b,c,d,e}from"./chunk-KLEW6R3P.js";import"./chunk-KZVOSBEU.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
