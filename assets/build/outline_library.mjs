// What reads the outlines of letters out of a font, loaded when they are first asked for.
export { parse } from "opentype.js";
