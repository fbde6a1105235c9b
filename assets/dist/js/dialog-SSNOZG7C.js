import{a,b,c,d}from"./chunk-ZIZ7VNCV.js";import"./chunk-TED2BUQ2.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
