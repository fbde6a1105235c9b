import{a,b,c,d}from"./chunk-GU3K27T3.js";import"./chunk-PKSO3IHS.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
