import { element } from "./panel.js";
import { formula, formulaWords } from "./tex.js";

// Sentences as nodes, and as words: Markdown with TeX between dollars, in which nothing is ever read as HTML.

const PIECES = /\\([\\`*_[\]<>$|~#:])|\$([^$\n]+)\$|\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`|\[((?:[^\][\\]|\\.)+)\]\(([^()\s]+)\)/gs;
const LINK = /^https:\/\/[^\s]+$/;
const PAGE = /^[a-z_]+(?:\?[^\s\\]*)?$/;

/** The pieces of a line, each by what it is. @param {string} text */
function* pieces(text) {
  let from = 0;
  for (const found of text.matchAll(PIECES)) {
    if (found.index > from) yield { letters: text.slice(from, found.index) };
    from = found.index + found[0].length;
    const [, letters, tex, strong, slanted, code, words, target] = found;
    yield { letters, tex, strong, slanted, code, words, target };
  }
  if (from < text.length) yield { letters: text.slice(from) };
}

/** The nodes of a line; a link leads to a paper, or to a page of the app at `base`, where that is known. Without a `base`, as of a
 * teacher's words, there are no links. @param {string} text @param {string | null} base @returns {(string | Node)[]} */
export function marked(text, base = null) {
  return [...pieces(text)].flatMap(({ letters, tex, strong, slanted, code, words, target }) => {
    if (letters !== undefined) return [letters];
    if (tex !== undefined) return formula(tex);
    if (strong !== undefined) return [element("strong", {}, ...marked(strong, base))];
    if (slanted !== undefined) return [element("em", {}, ...marked(slanted, base))];
    return code !== undefined ? [element("code", {}, code)] : linked(words ?? "", target ?? "", base);
  });
}

/** The words of a line without its marks. @param {string} text @returns {string} */
export function plainWords(text) {
  return [...pieces(text)].map(({ letters, tex, strong, slanted, code, words }) =>
    letters ?? code ?? (tex === undefined ? plainWords(strong ?? slanted ?? words ?? "") : formulaWords(tex))
  ).join("");
}

/** Fills a node with a text, when it is another one than before; hides it where there is none.
 * @param {HTMLElement & {dmlText?: string}} node @param {string} text @param {string} base */
export function fill(node, text, base = "") {
  if (node.dmlText === text) return;
  node.dmlText = text;
  node.hidden = !text;
  node.replaceChildren(...marked(text, base));
}

/** @param {string} words @param {string} target @param {string | null} base */ function linked(words, target, base) {
  const href = base === null ? "" : LINK.test(target) ? target : base && PAGE.test(target) ? `${base}${target}` : "";
  if (!href) return marked(words, base);
  return [element("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...marked(words, base))];
}
