import { button, element } from "../draw/panel.js";

/** @typedef {{row: number, near: import("./row_answers.js").Near | null, imageOf: (row: number) => string | undefined,
 *   nameOf: (row: number) => string, show: (row: number) => void, alone: boolean, choose: () => void, close: () => void}} About */

/** Lists a row and its nearest rows in `node`: their images, numbers, classes and cosines. Rows without labels have the name "".
 * @param {HTMLElement} node @param {About} about */
export function renderNearest(node, { row, near, imageOf, nameOf, show, alone, choose, close }) {
  const name = nameOf(row);
  /** @param {number} each @param {number | null} cosine */ const entry = (each, cosine) => {
    const src = imageOf(each);
    const word = [nameOf(each), cosine === null ? "" : cosine.toFixed(3)].filter(Boolean).join(" · ");
    const side = !name ? "" : nameOf(each) === name ? "dml-right" : "dml-wrong";
    return element(
      "li",
      {},
      ...(src ? [element("img", { src, alt: "", width: 40, height: 40 })] : []),
      button(() => show(each), { title: "List the nearest rows of this row" }, `row ${each}`),
      element("span", { class: side }, word),
    );
  };
  const words = near ? "The nearest rows in all dimensions, with their cosines. " : "The server does not answer; click again. ";
  node.replaceChildren(
    element("ol", {}, entry(row, null), ...(near?.rows ?? []).map((each, k) => entry(each, near?.cosines[k] ?? null))),
    element(
      "p",
      {},
      words,
      ...(name ? [button(choose, {}, alone ? "Show all classes" : `Show ${name} alone`), " "] : []),
      button(close, {}, "Close"),
    ),
  );
}
