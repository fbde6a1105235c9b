import { px } from "../draw/marker.js";

/** Moves the points of a trace without lines; whether they were all there. Their paths say where they are: each with a transform
 * of its own would be a layer to the browser.
 * @param {DrawnPoint[]} points @param {DrawnBox} box */
export function slide(points, { xaxis, yaxis }) {
  const { node3, trace: { mode, marker } } = points[0];
  /** @type {ArrayLike<Element>} */ const nodes = mode === "markers" ? node3.node().querySelectorAll(".point") : [];
  if (nodes.length !== points.length || Array.isArray(marker.symbol) || points.some(({ x }) => x === undefined)) return false;
  const sign = (points[0].sign ??= relative(nodes[0].getAttribute("d")));
  points.forEach(({ x, y }, i) => {
    nodes[i].setAttribute("d", `M${px(xaxis.c2p(x), yaxis.c2p(y))}${sign}`);
    nodes[i].removeAttribute("transform");
  });
  return true;
}

/** A symbol of Plotly's, a path around the origin, by moves from there alone. @param {string} d */
export function relative(d) {
  let [u, v] = [0, 0];
  return d.replace(/([MLAHV])([^A-Za-z]*)/g, (_, letter, text) => {
    const numbers = text.trim().split(/[ ,]+/).map(Number);
    const [x, y] = letter === "H" ? [...numbers, v] : letter === "V" ? [u, ...numbers] : numbers.slice(-2);
    const begun = letter === "M" ? "m" : letter === "A" ? `a${numbers.slice(0, -2).join(" ")} ` : "l";
    const moved = `${begun}${x - u} ${y - v}`;
    [u, v] = [x, y];
    return moved;
  });
}
