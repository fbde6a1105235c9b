import{a,b,c,d}from"./chunk-QR3TLBAX.js";import"./chunk-DPDY4LFH.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
