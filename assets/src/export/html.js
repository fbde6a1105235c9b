// A figure as one page that needs nothing else: with Plotly's own library inside, or the drawing where there is no chart.

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The page; `figure` is {data, layout} with `library` Plotly's script, or `svg` the text of a drawing. */
export function html({ figure = null, library = "", svg = "" }, { title, words, caption, recipe }) {
  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]);
  const safe = (text) => text.replace(/</g, "\\u003c");
  const shown = figure
    ? `<div id="figure" role="img" aria-label="${escaped(words)}"></div>
<script>${library.replace(/<\/script/g, "<\\/script")}</script>
<script>
const figure = ${safe(json(figure))};
Plotly.newPlot("figure", figure.data, figure.layout, { responsive: true, displaylogo: false, showSendToCloud: false });
</script>`
    : svg.replace(/^<\?xml[^>]*>\s*/, "");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="application/json" id="dml-viz-recipe">${safe(recipe)}</script>
<style>body { margin: 1rem auto; max-width: 1200px; padding: 0 1rem; font: 15px/1.45 Helvetica, Arial, sans-serif; }</style>
</head>
<body>
<h1 style="font-size: 1.2rem">${escaped(title)}</h1>
${shown}
<p>${escaped(caption).replace(/\n/g, "<br>")}</p>
</body>
</html>
`;
}

/** JSON in which arrays of numbers are lists, and what is no number is null. */
export function json(value) {
  return JSON.stringify(value, (_, own) => (ArrayBuffer.isView(own) ? Array.from(/** @type {any} */ (own)) : own));
}
