import{a,b,c,d}from"./chunk-HZTE2IFC.js";import"./chunk-NPWTVS4A.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
