import{a,b,c,d,e}from"./chunk-GAZGQ3M6.js";import"./chunk-ZTPDN3JI.js";export{b as WriteUp,e as act,c as opened,d as select,a as shown};
