import{a,b,c,d}from"./chunk-T4LHOBMB.js";import"./chunk-YNMZUDQL.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
