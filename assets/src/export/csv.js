// The data of a figure as a table: a row for each point of each trace. Python writes the same (dml_viz/figure_files/formats/_table.py).

const COLUMNS = ["x", "y", "z", "u", "v", "base", "width", "size", "text"];

/** Rows of full Plotly traces: {columns, rows}; columns that no trace has are left out. */
export function table(traces) {
  const rows = [];
  // Plotly counts a trace without a point as not seen.
  traces.filter(pointsOf).forEach((trace, k) => {
    const name = trace.name ?? "";
    const rowOf = isGrid(trace) ? cell : point;
    for (let i = 0; i < pointsOf(trace); i += 1) rows.push({ trace: k, name, point: i, ...rowOf(trace, i) });
  });
  const seen = COLUMNS.filter((column) => rows.some((row) => row[column] !== undefined));
  const columns = ["trace", "name", "point", ...seen];
  return { columns, rows: rows.map((row) => columns.map((column) => row[column] ?? "")) };
}

/** A table, its cells apart by `separator`, below its recipe and caption. */
export function csv({ columns, rows }, { caption, recipe }, separator) {
  const lines = [columns, ...rows].map((row) => row.map((value) => field(value, separator)).join(separator));
  const head = caption.split("\n").map((line) => `# ${line}`);
  return [`# dml-viz recipe: ${recipe}`, ...head, ...lines, ""].join("\r\n");
}

function isGrid({ type }) {
  return type === "heatmap" || type === "contour";
}

function pointsOf(trace) {
  if (isGrid(trace)) return trace.z.length * (trace.z[0]?.length ?? 0);
  return Math.max(0, ...["x", "y", "u"].map((name) => arrayOf(trace, name)?.length ?? 0));
}

function point(trace, i) {
  const row = {};
  for (const name of COLUMNS) {
    const values = arrayOf(trace, name);
    if (values && i < values.length) row[name] = values[i] ?? "";
  }
  return row;
}

function cell({ x, y, z }, i) {
  const wide = z[0].length;
  const [r, c] = [Math.floor(i / wide), i % wide];
  return { x: x?.[c] ?? c, y: y?.[r] ?? r, z: z[r][c] ?? "" };
}

// A trace without x or y counts from x0 or y0.
/** @returns {any} */
function arrayOf(trace, name) {
  const value = name === "size" ? trace.marker?.size : trace[name];
  return Array.isArray(value) || ArrayBuffer.isView(value) ? value : null;
}

function field(value, separator) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = String(value).replace(/<br>/g, "; ").replace(/<[^>]*>/g, "");
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replace(/"/g, '""')}"` : text;
}
