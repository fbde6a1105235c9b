import{a,b,c,d}from"./chunk-LXLY4F7Q.js";import"./chunk-3F34B4CK.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
