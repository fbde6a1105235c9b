// What Plotly keeps on the node of a chart.

/** The traces as drawn, with their defaults; undefined before there is a chart. @param {ChartNode} node */
export const fullTraces = (node) => node._fullData;

/** The layout as drawn, with its defaults; undefined before there is a chart. @param {ChartNode} node */
export const fullLayout = (node) => node._fullLayout;
