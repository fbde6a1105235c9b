// What Plotly keeps on the node of a chart, and the size in which it draws one.

export const LEAST = 60; // px: a page that changes its layout passes smaller sizes, in which no axis finds room for its names

/** The traces as drawn, with their defaults; undefined before there is a chart. @param {ChartNode} node */
export const fullTraces = (node) => node._fullData;

/** The layout as drawn, with its defaults; undefined before there is a chart. @param {ChartNode} node */
export const fullLayout = (node) => node._fullLayout;

/** The size of the node as laid out, or the least that a chart can have; 0 where the node has no place on the page.
 * @param {HTMLElement} node */
export function chartSize({ clientWidth, clientHeight }) {
  const [width, height] = [clientWidth, clientHeight].map((length) => length && Math.max(LEAST, length));
  return { width, height };
}
