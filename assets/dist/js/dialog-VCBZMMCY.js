import{a,b,c,d}from"./chunk-7JKKQQIA.js";import"./chunk-OSMN4NJ4.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
