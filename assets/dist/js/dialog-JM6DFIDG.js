import{a,b,c,d,e}from"./chunk-PPZWPEO2.js";import"./chunk-ZPMICNAR.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
