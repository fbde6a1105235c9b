import{a,b,c,d,e}from"./chunk-6KHR4VJJ.js";import"./chunk-5HJSFGZH.js";export{b as ExportDialog,e as act,c as opened,d as select,a as shown};
