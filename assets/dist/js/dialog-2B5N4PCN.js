import{a,b,c,d}from"./chunk-GPRVKI2R.js";import"./chunk-I6SGW3LZ.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
