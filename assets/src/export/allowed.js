// Control characters, halves of pairs, and what is no character: no XML may have them, nor do other files need them.
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A text without characters that XML forbids, as dml_viz/figure_files/formats/_base.py has it. @param {string} text */
export function allowed(text) {
  return text.replace(FORBIDDEN, "");
}
