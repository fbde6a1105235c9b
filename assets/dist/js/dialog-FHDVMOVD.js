import{a,b,c,d}from"./chunk-NJZADJAW.js";import"./chunk-M3TEFCHF.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
