/** Whether visitors point with a finger alone: it scrolls the page, so that no chart may take its moves. Tests have no screen. */
export const FINGER = globalThis.matchMedia?.("(hover: none) and (pointer: coarse)") ?? { matches: false };

/** An axis in the look of the moment. @param {Look} look @param {AxisWords} more @returns {Axis} */
export function axis(look, more = {}) {
  const { title, ...rest } = more;
  return {
    gridcolor: look.faint,
    zeroline: false,
    showline: false,
    ticks: "outside",
    ticklen: 3,
    tickcolor: "rgba(0,0,0,0)",
    automargin: false,
    tickfont: { size: 12, color: look.quiet },
    nticks: 5,
    layer: "below traces",
    ...(title ? { title: { text: title, standoff: 4, font: { size: 12, color: look.quiet } } } : {}),
    ...rest,
  };
}

/** The names of the axes of a layout along the `letters`. @param {Layout} layout @returns {AxisName[]} */
export function axesIn(layout, letters = "xy") {
  return /** @type {AxisName[]} */ (Object.keys(layout).filter((name) => new RegExp(`^[${letters}]axis\\d*$`).test(name)));
}

/** The layout with another revision for axes that have a range: an axis that loses its range follows its data again, where
 * Plotly, in one revision, would let it follow nothing. @param {Layout} layout @returns {Layout} */
export function withRevisionOfRanges(layout) {
  const uirevision = `${layout.uirevision}, with a range`;
  const axes = axesIn(layout).filter((name) => layout[name].range).map((name) => [name, { ...layout[name], uirevision }]);
  return { ...layout, ...Object.fromEntries(axes) };
}

/** A part of a figure with fonts of the sizes that `sizeOf` makes of theirs.
 * @template T @param {T} part @param {(size: number) => number} sizeOf @returns {T} */
export function withFontSizes(part, sizeOf, name = "") {
  if (Array.isArray(part)) {
    return part[0] instanceof Object ? /** @type {T} */ (part.map((item) => withFontSizes(item, sizeOf))) : part;
  }
  if (!(part instanceof Object) || ArrayBuffer.isView(part)) return part;
  const { size } = /** @type {{size?: number}} */ (part);
  const entries = Object.entries(name.endsWith("font") && size > 0 ? { ...part, size: sizeOf(size) } : part);
  return /** @type {T} */ (Object.fromEntries(entries.map(([key, value]) => [key, withFontSizes(value, sizeOf, key)])));
}

/** The layout that all charts share. @param {Look} look @param {Layout} more @returns {Layout} */
export function layout(look, more) {
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    autosize: false, // a chart gives its own size: Plotly would lay the page out to measure it
    font: { family: look.font, size: 12, color: look.ink },
    hoverlabel: {
      bgcolor: look.paper,
      bordercolor: look.faint,
      namelength: -1,
      font: { family: look.font, size: 12, color: look.ink },
    },
    dragmode: FINGER.matches ? false : "zoom",
    ...more,
  };
}

/** The layout of curves over one x axis, read together by pointing; words beside the y axis need room.
 * @param {Look} look @param {AxisWords} x @param {AxisWords} y @param {Layout} more */
export function together(look, x, y, more = {}) {
  const margin = { l: y.title ? 50 : 40, r: 8, t: 6, b: 38 };
  return layout(look, { xaxis: axis(look, x), yaxis: axis(look, y), hovermode: "x unified", margin, ...more });
}

/** A line without data yet: an empty one would be left out of Plotly's animation for good.
 * @param {Trace} more @returns {Trace} */
export function line(more) {
  return { type: "scatter", mode: "lines", x: [NaN], y: [NaN], hoverinfo: "skip", ...more };
}

/** A line whose values, written as `format`, are read by pointing at it.
 * @param {string} name @param {TraceLine} style @param {Trace} more */
export function read(name, style, format = ".2f", more = {}) {
  return line({ name, line: style, hoverinfo: undefined, hovertemplate: `%{y:${format}}`, ...more });
}

/** Dots where a cursor crosses lines. @param {Look} look @param {TraceMarker} style */
export function dots(look, style) {
  return line({ mode: "markers", cliponaxis: false, marker: { size: 8, line: { width: 1, color: look.paper }, ...style } });
}

/** Data for a trace that shows nothing now. */
export const NOWHERE = { x: [NaN], y: [NaN] };

// Axis ranges that stay put: an axis that follows every value makes a moving picture unreadable.

const ROOM = 0.04; // of the range, so that a line along its end is not cut in half
const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The least round number not below `value` > 0. @param {number} value */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * STEPS.find((step) => step * unit >= value * (1 - 1e-9));
}

/** A range [0, top] for values up to `high`: the old one while they fit and fill a third of it.
 * @param {number[] | null} range @param {number} high */
export function fromZero(range, high) {
  if (!(high > 0)) return range ?? [0, 1];
  if (range && high <= range[1] && high > range[1] / 3) return range;
  return [0, roundUp(high * 1.08)];
}

/** A range for values in [low, high] that may be negative, with a little room: the old one while they fit and fill a third.
 * @param {number[] | null} range @param {number} low @param {number} high */
export function around(range, low, high) {
  if (low >= 0) {
    const [, top] = fromZero(range && range[0] > -ROOM * 2 * range[1] ? range : null, high);
    return [-ROOM * top, top];
  }
  const fits = range && low >= range[0] && high <= range[1] && high - low > (range[1] - range[0]) / 3;
  if (fits) return range;
  const top = roundUp(Math.max(-low, high, 1e-9) * 1.08);
  return [-top, high > 0 ? top : ROOM * top];
}

/** A range of whole powers of ten, in log10, for positive values in [low, high].
 * @param {number[] | null} range @param {number} low @param {number} high */
export function decades(range, low, high) {
  if (!(low > 0) || !(high > 0)) return range ?? [-2, 0];
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const wanted = [from, Math.max(to, from + 1)];
  if (range && wanted[0] >= range[0] && wanted[1] <= range[1] && wanted[1] - wanted[0] > (range[1] - range[0]) / 3) {
    return range;
  }
  return wanted;
}

/** A line at `foot` where `values` are 0, which a logarithmic axis has no place for, and to and from the values beside.
 * @param {Numbers} values @param {number} foot */
export function belowTheAxis(values, foot) {
  return Array.from(values, (value, k) => {
    if (value === 0) return foot;
    return values[k - 1] === 0 || values[k + 1] === 0 ? value : NaN;
  });
}

/** The range of steps: up to the budget once half of it is done, before that up to the next round number.
 * @param {number} latest @param {number} budget */
export function steps(latest, budget) {
  if (budget && latest > budget / 2) return [0, Math.max(budget, latest)];
  return [0, Math.max(roundUp(Math.max(latest, 1)), 10)];
}
