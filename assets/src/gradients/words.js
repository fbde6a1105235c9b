import { plain, short } from "../draw/words.js";

const NAMED = 2; // partners named below a panel
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The length of a gradient. @param {number} norm */
export function gradient(norm) {
  return `|g| ${short(norm)}`;
}

/** Two lines on a loss: its value and gradient, and the shares of points and pairs with a gradient.
 * @param {PanelContent} content */
export function ofLoss(content) {
  const { value, norm } = content;
  return [`L ${short(value)} · ${gradient(norm)}`, [touched(content), ...shares(content)].join(" · ")];
}

/** How long a loss took, on this machine; empty where that was not measured. @param {{ms?: number}} content */
export function took({ ms }) {
  return ms === undefined ? "" : `Computed in ${short(ms)} ms.`;
}

/** Two lines on the gradient at point `lit`: its length, and its pairs, the heaviest first.
 * @param {PanelContent} content @param {number} lit @param {string[]} names @param {[number, number][]} partners */
export function ofPoint(content, lit, names, partners) {
  const { n, owners } = content;
  /** @param {number} j */ const name = (j) => (j < n ? `#${j}` : `★${LETTERS[owners[j - n]] ?? owners[j - n]}`);
  const named = partners.slice(0, NAMED).map(([j, w]) => `${w < 0 ? "pull" : "push"} ${name(j)} ${brief(w)}`);
  const rest = partners.length - NAMED;
  const more = named.length ? `${named.join(", ")}${rest > 0 ? `, +${rest}` : ""}` : "no pair makes it";
  return [`#${lit} (${names[content.y[lit]]}): ${gradient(content.lengths[lit])}`, more];
}

/** @param {{points: number[], pairs: number[] | null}} content */
function touched({ points, pairs }) {
  /** @param {number[]} counts */ const share = ([some, all]) => {
    if (!all) return "–";
    const exact = (100 * some) / all;
    return exact > 0 && exact < 1 ? "<1%" : `${exact > 99 && some < all ? 99 : Math.round(exact)}%`;
  };
  return `points ${share(points)} · pairs ${pairs ? share(pairs) : "…"}`;
}

/** @param {PanelContent} content */ function shares({ part, radial, shown }) {
  const found = [];
  if (part === "ambient" && Number.isFinite(radial)) found.push(`radial ${Math.round(100 * radial)}%`);
  if (shown < 0.9995) found.push(`shown ${Math.round(100 * shown)}%`);
  return found;
}

/** Two digits, without a sign. @param {number} weight */
function brief(weight) {
  const size = Math.abs(weight);
  if (size >= 1e-3 && size < 1e4) return plain(size, 2);
  return size.toExponential(0).replace("e+", "e").replace("-", "−");
}
