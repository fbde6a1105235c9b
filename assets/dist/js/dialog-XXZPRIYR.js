import{a,b,c,d}from"./chunk-C5TWINGR.js";import"./chunk-JW4JGBU3.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
