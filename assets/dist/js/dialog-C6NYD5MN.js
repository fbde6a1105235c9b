import{a,b,c,d,e}from"./chunk-UX6PKQQV.js";import"./chunk-SYT4XNEC.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
