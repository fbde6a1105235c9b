import{a,b,c,d}from"./chunk-YUHFATDS.js";import"./chunk-G3N3MAHS.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
