const ROUND = 0.5522847498; // of the radius: where a quarter of a circle has its handles
const ARGUMENTS = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 };
const PIECE = /([achlmqstvz])([^achlmqstvz]*)/gi;
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;

/** Numbers as PDF writes them, apart by spaces. */
export function numbers(...values) {
  return values.map((value) => String(Number(value.toFixed(4)))).join(" ");
}

/** The outline of an SVG shape as a PDF path; "" where it has none. */
export function outline(node) {
  const value = (name) => node[name]?.baseVal.value ?? 0;
  switch (node.tagName) {
    case "path":
      return path(node.getAttribute("d") ?? "");
    case "rect":
      return value("width") > 0 && value("height") > 0
        ? `${numbers(value("x"), value("y"), value("width"), value("height"))} re`
        : "";
    case "circle":
      return round(value("cx"), value("cy"), value("r"), value("r"));
    case "ellipse":
      return round(value("cx"), value("cy"), value("rx"), value("ry"));
    case "line":
      return `${numbers(value("x1"), value("y1"))} m ${numbers(value("x2"), value("y2"))} l`;
    case "polygon":
    case "polyline":
      return corners([...node.points].map(({ x, y }) => [x, y])) + (node.tagName === "polygon" ? " h" : "");
    default:
      return "";
  }
}

function corners(places) {
  return places.map(([x, y], k) => `${numbers(x, y)} ${k ? "l" : "m"}`).join(" ");
}

function round(x, y, rx, ry) {
  if (!(rx > 0 && ry > 0)) return "";
  const [hx, hy] = [ROUND * rx, ROUND * ry];
  const quarters = [
    [x + rx, y + hy, x + hx, y + ry, x, y + ry],
    [x - hx, y + ry, x - rx, y + hy, x - rx, y],
    [x - rx, y - hy, x - hx, y - ry, x, y - ry],
    [x + hx, y - ry, x + rx, y - hy, x + rx, y],
  ];
  return `${numbers(x + rx, y)} m ${quarters.map((quarter) => `${numbers(...quarter)} c`).join(" ")} h`;
}

/** The data of an SVG path as a PDF path. */
export function path(data) {
  const out = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  let handle = null; // of the last curve, with its kind
  const curve = (x1, y1, x2, y2, toX, toY) => {
    out.push(`${numbers(x1, y1, x2, y2, toX, toY)} c`);
    [x, y] = [toX, toY];
  };
  const draw = (command, a, relative) => {
    const [dx, dy] = relative ? [x, y] : [0, 0];
    const last = handle;
    handle = null;
    if (command === "z") {
      out.push("h");
      [x, y] = [startX, startY];
    } else if (command === "m" || command === "l") {
      [x, y] = [a[0] + dx, a[1] + dy];
      if (command === "m") [startX, startY] = [x, y];
      out.push(`${numbers(x, y)} ${command}`);
    } else if (command === "h" || command === "v") {
      if (command === "h") x = a[0] + dx;
      else y = a[0] + dy;
      out.push(`${numbers(x, y)} l`);
    } else if (command === "c") {
      handle = { kind: "c", x: a[2] + dx, y: a[3] + dy };
      curve(a[0] + dx, a[1] + dy, a[2] + dx, a[3] + dy, a[4] + dx, a[5] + dy);
    } else if (command === "s") {
      const [x1, y1] = last?.kind === "c" ? [2 * x - last.x, 2 * y - last.y] : [x, y];
      handle = { kind: "c", x: a[0] + dx, y: a[1] + dy };
      curve(x1, y1, a[0] + dx, a[1] + dy, a[2] + dx, a[3] + dy);
    } else if (command === "q" || command === "t") {
      const mirrored = last?.kind === "q" ? [2 * x - last.x, 2 * y - last.y] : [x, y];
      const [qx, qy] = command === "q" ? [a[0] + dx, a[1] + dy] : mirrored;
      const [toX, toY] = command === "q" ? [a[2] + dx, a[3] + dy] : [a[0] + dx, a[1] + dy];
      handle = { kind: "q", x: qx, y: qy };
      const third = (from, by) => from + (2 / 3) * (by - from);
      curve(third(x, qx), third(y, qy), third(toX, qx), third(toY, qy), toX, toY);
    } else if (command === "a") {
      for (const part of arc(x, y, a[0], a[1], a[2], a[3], a[4], a[5] + dx, a[6] + dy)) curve(...part);
    }
  };
  for (const [, letter, rest] of data.matchAll(PIECE)) {
    let command = letter.toLowerCase();
    const relative = command === letter;
    const values = command === "a" ? flagged(rest) : (rest.match(NUMBER) ?? []).map(Number);
    const many = ARGUMENTS[command];
    if (!many) draw(command, [], relative);
    for (let k = 0; many && k + many <= values.length; k += many) {
      draw(command, values.slice(k, k + many), relative);
      if (command === "m") command = "l"; // what follows a move's own pair is lines
    }
  }
  return out.join(" ");
}

// The two flags of an arc may stand without a space behind them.
function flagged(text) {
  const values = [];
  const reader = /[\s,]*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/iy;
  const flag = /[\s,]*([01])/y;
  for (let at = 0;;) {
    const read = values.length % 7 === 3 || values.length % 7 === 4 ? flag : reader;
    read.lastIndex = at;
    const found = read.exec(text);
    if (!found) return values;
    values.push(Number(found[1]));
    at = read.lastIndex;
  }
}

// An elliptic arc as curves of at most a quarter turn (SVG 1.1, appendix F.6).
function arc(x0, y0, rx, ry, degrees, large, sweep, x, y) {
  if (!rx || !ry) return [[x0, y0, x, y, x, y]];
  if (x0 === x && y0 === y) return [];
  const turn = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [mx, my] = [(x0 - x) / 2, (y0 - y) / 2];
  const [px, py] = [cos * mx + sin * my, cos * my - sin * mx];
  const grown = Math.sqrt(Math.max(1, (px / rx) ** 2 + (py / ry) ** 2));
  const [a, b] = [Math.abs(rx) * grown, Math.abs(ry) * grown];
  const left = (a * b) ** 2 - (a * py) ** 2 - (b * px) ** 2;
  const factor = (large === sweep ? -1 : 1) * Math.sqrt(Math.max(0, left) / ((a * py) ** 2 + (b * px) ** 2));
  const [ux, uy] = [(factor * a * py) / b, (-factor * b * px) / a];
  const [cx, cy] = [cos * ux - sin * uy + (x0 + x) / 2, sin * ux + cos * uy + (y0 + y) / 2];
  const start = Math.atan2((py - uy) / b, (px - ux) / a);
  let whole = Math.atan2((-py - uy) / b, (-px - ux) / a) - start;
  if (sweep && whole < 0) whole += 2 * Math.PI;
  if (!sweep && whole > 0) whole -= 2 * Math.PI;
  const parts = Math.ceil(Math.abs(whole) / (Math.PI / 2) - 1e-9);
  const step = whole / parts;
  const reach = (4 / 3) * Math.tan(step / 4);
  const at = (u, v) => [cx + cos * a * u - sin * b * v, cy + sin * a * u + cos * b * v];
  return Array.from({ length: parts }, (_, k) => {
    const [from, to] = [start + k * step, start + (k + 1) * step];
    const first = at(Math.cos(from) - reach * Math.sin(from), Math.sin(from) + reach * Math.cos(from));
    const second = at(Math.cos(to) + reach * Math.sin(to), Math.sin(to) - reach * Math.cos(to));
    return [...first, ...second, ...(k === parts - 1 ? [x, y] : at(Math.cos(to), Math.sin(to)))];
  });
}
