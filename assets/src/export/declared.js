// What files of figures have in common with those that Python writes, stated once: Python reads this JSON, too
// (dml_viz/figure_files/declared.py). The writers of tables, programs and pages stand in both languages, as a notebook or a page
// that was left has no Python to ask, and the command line writes them where there is no Chrome.
export default JSON.parse(`{
  "meaning": {
    "trace": "which of the traces of the figure, from 0",
    "name": "what the trace shows",
    "point": "place in the trace, from 0",
    "x": "across",
    "y": "up",
    "x name": "what the axis calls that place across",
    "y name": "what the axis calls that place up",
    "z": "number that the cell is coloured by",
    "u": "length of the arrow across",
    "v": "length of the arrow up",
    "base": "where the bar begins",
    "width": "width of the bar",
    "size": "size of the mark in pixels",
    "text": "words beside the point or on hover",
    "column": "name of the column of the cell",
    "row": "name of its row",
    "value": "value of the loss in the cell, empty where there is none"
  },
  "traceLooks": [
    "type", "name", "mode", "xaxis", "yaxis", "fill", "orientation", "lengthmode", "anchor", "colorscale", "zmin", "zmax"
  ],
  "lineLooks": ["color", "width", "dash", "shape"],
  "markerLooks": ["color", "symbol", "size"],
  "axisLooks": ["range", "type", "domain", "scaleanchor", "anchor"],
  "redrawn": ["scatter", "bar", "heatmap", "contour", "quiver"],
  "unseenOfTrace": ["customdata", "hovertemplate", "hovertext", "hoverinfo", "hoverongaps", "hoverlabel", "ids", "meta", "uid"],
  "unseenOfLayout": [
    "meta", "uirevision", "modebar", "images", "dragmode", "hovermode", "hoverdistance", "hoversubplots", "autosize", "transition"
  ],
  "mostPanels": 12,
  "inches": [0.5, 60],
  "widestArea": 1600,
  "line": [0.5, 3],
  "mostPoints": 60
}`);

/** The page of a figure, whose slots are words in braces. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="application/json" id="dml-viz-recipe">{recipe}</script>
<style>body { margin: 1rem auto; max-width: 1200px; padding: 0 1rem; font: 15px/1.45 Helvetica, Arial, sans-serif; }</style>
</head>
<body>
<h1 style="font-size: 1.2rem">{title}</h1>
{drawing}
<p>{caption}</p>
</body>
</html>
`;

/** The drawing of a chart in that page. */
export const CHART = `<div id="figure" role="img" aria-label="{words}"></div>
<script>{library}</script>
<script>
const figure = {figure};
Plotly.newPlot("figure", figure.data, figure.layout, { responsive: true, displaylogo: false, showSendToCloud: false });
</script>`;
