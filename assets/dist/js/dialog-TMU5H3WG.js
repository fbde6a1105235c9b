import{a,b,c,d}from"./chunk-XUKMG35U.js";import"./chunk-2KFXNWLW.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
