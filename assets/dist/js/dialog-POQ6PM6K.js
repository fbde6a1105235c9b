import{a,b,c,d,e}from"./chunk-2QRM35EH.js";import"./chunk-4YZSLEJU.js";export{b as ExportDialog,e as actionButton,c as openDialog,d as select,a as showForCopying};
