import{a,b,c,d}from"./chunk-OQLI62OB.js";import"./chunk-MVEOFSGS.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
