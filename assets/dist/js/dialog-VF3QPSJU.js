import{a,b,c,d}from"./chunk-YMYFR7CP.js";import"./chunk-NM2ZWXY4.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
