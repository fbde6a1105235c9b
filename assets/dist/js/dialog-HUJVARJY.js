import{a,b,c,d}from"./chunk-KINZL3SG.js";import"./chunk-SQB7UE7I.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
