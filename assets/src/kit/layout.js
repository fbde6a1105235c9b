/** Whether visitors point with a finger alone: it scrolls the page, so that no chart may take its moves. Tests have no screen. */
export const FINGER = globalThis.matchMedia?.("(hover: none) and (pointer: coarse)") ?? { matches: false };

/** An axis in the look of the moment. */
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

/** The layout that all charts share. */
export function layout(look, more) {
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    autosize: true,
    font: { family: look.font, size: 12, color: look.ink },
    margin: { l: 40, r: 8, t: 6, b: 38 },
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

/** A line without data yet: an empty one would be left out of Plotly's animation for good. */
export function line(more) {
  return { type: "scatter", mode: "lines", x: [NaN], y: [NaN], hoverinfo: "skip", ...more };
}

/** Data for a trace that shows nothing now. */
export const NOWHERE = { x: [NaN], y: [NaN] };
