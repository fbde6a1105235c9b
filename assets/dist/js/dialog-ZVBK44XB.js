import{a,b,c,d}from"./chunk-77HPPL6Y.js";import"./chunk-UBQ4CDIM.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
