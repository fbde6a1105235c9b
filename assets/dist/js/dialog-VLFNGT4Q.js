import{a,b,c,d}from"./chunk-C2C4QAOY.js";import"./chunk-VXZCEGSN.js";export{b as ExportDialog,c as openDialog,d as select,a as showForCopying};
