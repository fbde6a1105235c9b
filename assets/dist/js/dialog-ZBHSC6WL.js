import{a,b,c,d}from"./chunk-YIQ6DLWN.js";import"./chunk-PLAXTDRA.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
