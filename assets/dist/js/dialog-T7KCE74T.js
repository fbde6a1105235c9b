import{a,b,c,d}from"./chunk-LYH4QZDG.js";import"./chunk-75JTVNKX.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
