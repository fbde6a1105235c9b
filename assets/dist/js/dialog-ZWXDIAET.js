import{a,b,c,d}from"./chunk-FULDH42V.js";import"./chunk-KKIUKKO7.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
