// What writes PDF, loaded when the first one is asked for.
export { jsPDF } from "jspdf";
export { svg2pdf } from "svg2pdf.js";
