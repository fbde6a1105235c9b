import { element } from "../draw/panel.js";
import { formula } from "./tex.js";

// Sentences of the rooms, which are Markdown with TeX between dollars, as nodes: nothing in them is ever read as HTML.

const PIECES = /\\([\\`*_[\]<>$|~#:])|\$([^$\n]+)\$|\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`|\[((?:[^\][\\]|\\.)+)\]\(([^()\s]+)\)/s;
const LINK = /^https:\/\/[^\s]+$/;
const PAGE = /^[a-z_]+(?:\?[^\s\\]*)?$/;

/** The nodes of a line; a link leads to a paper, or to a page of the app at `base`, where that is known.
 * @param {string} text @param {string} base @returns {(string | Node)[]} */
export function marked(text, base = "") {
  /** @type {(string | Node)[]} */ const nodes = [];
  for (let rest = text; rest;) {
    const found = PIECES.exec(rest);
    if (!found) return [...nodes, rest];
    const [whole, letter, tex, strong, slanted, code, words, target] = found;
    if (found.index) nodes.push(rest.slice(0, found.index));
    rest = rest.slice(found.index + whole.length);
    if (letter !== undefined) nodes.push(letter);
    else if (tex !== undefined) nodes.push(...formula(tex));
    else if (strong !== undefined) nodes.push(element("strong", {}, ...marked(strong, base)));
    else if (slanted !== undefined) nodes.push(element("em", {}, ...marked(slanted, base)));
    else if (code !== undefined) nodes.push(element("code", {}, code));
    else nodes.push(...linked(words, target, base));
  }
  return nodes;
}

/** Fills a node with a text, when it is another one than before; hides it where there is none.
 * @param {HTMLElement & {dmlText?: string}} node @param {string} text @param {string} base */
export function fill(node, text, base = "") {
  if (node.dmlText === text) return;
  node.dmlText = text;
  node.hidden = !text;
  node.replaceChildren(...marked(text, base));
}

/** @param {string} words @param {string} target @param {string} base */ function linked(words, target, base) {
  const href = LINK.test(target) ? target : base && PAGE.test(target) ? `${base}${target}` : "";
  if (!href) return marked(words, base);
  return [element("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...marked(words, base))];
}
