// Makes a redraw of a Plotly figure quicker, and changes nothing of what is drawn.
const schema = require("plotly.js/src/plot_api/plot_schema");
const common = require("plotly.js/src/plots/attributes");

// At each redraw Plotly goes through all that a trace could have, for each trace, to find the arrays in it: half of the time
// that a figure of many traces takes. Where arrays can be is the same for all traces of a type, and is kept here.
const kept = new WeakMap();
/** The paths, as lists of steps, on which attributes may hold arrays. */
function paths(attributes) {
  if (kept.has(attributes)) return kept.get(attributes);
  const found = [];
  let steps = [];
  schema.crawl(attributes, (attribute, name, _siblings, level) => {
    steps = [...steps.slice(0, level), { name, listed: Boolean(attribute?._isLinkedToArray) }];
    const ticks = steps[level - 1]?.name === "colorbar" && (name === "ticktext" || name === "tickvals");
    if (!ticks && (attribute?.valType === "data_array" || attribute?.arrayOk === true)) found.push(steps);
  });
  kept.set(attributes, found);
  return found;
}
const isArray = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
const isObject = (value) => Object.prototype.toString.call(value) === "[object Object]";
schema.findArrayAttributes = (trace) => {
  const found = [];
  const go = (container, steps, at, whole) => {
    const { name, listed } = steps[at];
    const value = container[name];
    if (at === steps.length - 1) {
      if (isArray(value)) found.push(whole + name);
    } else if (listed) {
      if (Array.isArray(value)) {
        value.forEach((each, k) => isObject(each) && go(each, steps, at + 1, `${whole}${name}[${k}].`));
      }
    } else if (isObject(value)) {
      go(value, steps, at + 1, `${whole}${name}.`);
    }
  };
  for (const attributes of [common, trace._module?.attributes]) {
    for (const steps of attributes ? paths(attributes) : []) go(trace, steps, 0, "");
  }
  return found;
};

// Plotly styles each mark twice at each redraw, attribute by attribute. Here a mark keeps what decides its style, and is styled
// where that is another than before.
const drawing = require("plotly.js/src/components/drawing");
const style = drawing.singlePointStyle;
const KEPT = Symbol("what decides the style of a mark");
/** What decides it, as text; "" where it may hang on more. */
function decides(d, { marker }, fns, pt) {
  const { line = {}, gradient, pattern, angle } = marker;
  const more = pt || d.so || d.trace || fns.selectedOpacityFn || fns.selectedColorFn || fns.selectedSizeFn || !fns.ms2mrc;
  if (more || d.mgt || isArray(line.dash) || angle || d.ma || pattern || isArray(line.color) || isArray(line.width)) return "";
  if (gradient && gradient.type !== "none") return "";
  const fill = "mc" in d ? fns.markerScale(d.mc) : marker.color;
  if (isArray(fill)) return "";
  const stroke = "mlc" in d ? fns.lineScale(d.mlc) : line.color;
  const mark = [fns.ms2mrc(d.ms), d.mx || marker.symbol, d.mo ?? marker.opacity, fill, d.isBlank];
  return [...mark, stroke, d.mlw ?? line.width, d.mld || line.dash].join(" ");
}
drawing.singlePointStyle = (d, selection, trace, fns, gd, pt) => {
  const node = selection.duration ? null : selection.node(); // a transition has a duration, and styles its marks later
  const key = node && decides(d, trace, fns, pt);
  if (key && node[KEPT]?.key === key) return Object.assign(d, node[KEPT].known);
  style(d, selection, trace, fns, gd, pt);
  if (!node) return;
  const known = {}; // what hovering reads
  for (const name of ["mrc", "om", "mcc", "mlcc"]) if (name in d) known[name] = d[name];
  node[KEPT] = key && { key, known };
};
