import{a,b,c,d}from"./chunk-H65COSOL.js";import"./chunk-NGFUDQOF.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
