import{a,b,c,d,e}from"./chunk-7I2ILFAK.js";import"./chunk-HDJCBDJ2.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
