// Scatter is in the core; with these the trace types that the pages use. The version is that of the Python package.
const Plotly = require("plotly.js/lib/core");
require("./plotly_quicker.cjs");

Plotly.register([
  require("plotly.js/lib/bar"),
  require("plotly.js/lib/contour"),
  require("plotly.js/lib/heatmap"),
  require("plotly.js/lib/quiver"),
]);

module.exports = Plotly;
