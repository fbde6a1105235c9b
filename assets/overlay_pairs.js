const WIDEST = 7; // px of the edge with the largest weight
const THINNEST = 0.5;
const FELT = 1e-3; // of the largest weight: a pair with less has no edge
const HIDDEN = 0.35; // opacity of what is behind the sphere

/**
 * The pairs that the page's loss touches, as wide as they weigh, the arrow that each point follows, and the triplet in hand.
 *
 * settings.ofAnchor leaves only the anchor's pairs. A pair that is asked the opposite of its kind is dashed.
 */
export class Overlay {
  constructor(layers, tools) {
    this.tools = tools;
    this.below = tools.pen(layers.below);
    this.above = tools.pen(layers.above);
  }

  draw({ scene, settings, picked, gradients }) {
    const [found] = Object.values(gradients);
    if (found) {
      const said = found.weights ? this.#edges(scene, settings, picked, found.weights) : "its pairs are drawn in the picture below";
      const longest = this.#arrows(scene, settings, found.z);
      this.tools.note(`L = ${words(found.value)}; ${said}; ${longest ? `longest arrow ${words(longest)}` : "no arrow"}.`);
    }
    this.#triplet(scene, picked);
    this.below.done();
    this.above.done();
  }

  #edges({ n, z, y }, { ofAnchor }, [anchor], weights) {
    const { tools } = this;
    const pairs = touched(weights, n).filter(({ i, j }) => !ofAnchor || i === anchor || j === anchor);
    const most = largest(weights, n);
    // The heaviest last, above the others.
    for (const { i, j, weight } of pairs.reverse()) {
      const positive = y[i] === y[j];
      const share = Math.abs(weight) / most;
      this.below.path(tools.chord(tools.row(z, i), tools.row(z, j)), {
        stroke: tools.colour(positive ? "positive" : "negative"),
        "stroke-width": Math.max(THINNEST, WIDEST * share),
        "stroke-dasharray": weight > 0 === positive ? "7 5" : "",
        opacity: 0.3 + 0.5 * share,
        "data-pair": `${i} ${j}`,
        "data-weight": weight,
      });
    }
    return `${pairs.length} of ${ofAnchor ? n - 1 : (n * (n - 1)) / 2} pairs touched, the heaviest ${words(most)}`;
  }

  // Along the circle or sphere; of a loss of raw rows the part across is left out, as the points cannot leave it.
  #arrows({ n, z, dim }, { unit }, gradient) {
    const { tools } = this;
    const along = unit ? gradient : tangent(gradient, z, dim);
    const scale = -tools.scale(along);
    for (let i = 0; i < n; i += 1) {
      const from = tools.row(z, i);
      const opacity = tools.project(from).front ? 1 : HIDDEN;
      const style = { stroke: tools.palette.ink, "stroke-width": 1.8, opacity };
      this.above.path(tools.arrow(from, tools.row(along, i), scale), style);
    }
    return scale ? 0.42 / -scale : 0;
  }

  // The two sides of the triplet whose similarities the plane beside is of.
  #triplet({ z }, [anchor, positive, negative]) {
    const { tools } = this;
    if (anchor < 0) return;
    const from = tools.row(z, anchor);
    const sides = [
      [positive, "positive", "s\u209a"],
      [negative, "negative", "s\u2099"],
    ];
    for (const [other, role, sign] of sides) {
      if (other < 0) continue;
      const to = tools.row(z, other);
      const style = { stroke: tools.colour(role), "stroke-width": 1.4, "stroke-dasharray": "1 4" };
      const { front, back } = tools.greatCircleArc(from, to);
      this.above.path(front, style);
      this.above.path(back, { ...style, opacity: HIDDEN });
      const s = from.reduce((sum, x, k) => sum + x * to[k], 0);
      const middle = tools.project(from.map((x, k) => (x + to[k]) / 2));
      tools.label(middle, `${sign} = ${fixed(s)}`, { colour: tools.colour(role), towards: [-middle.x, -middle.y] });
    }
  }
}

/** The pairs i < j whose weight, both orders together, is more than a thousandth of the largest, the heaviest first. */
export function touched(weights, n) {
  const most = largest(weights, n);
  const pairs = [];
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const weight = weights[i * n + j] + weights[j * n + i];
      if (Math.abs(weight) > FELT * most) pairs.push({ i, j, weight });
    }
  }
  return pairs.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

function largest(weights, n) {
  let most = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) most = Math.max(most, Math.abs(weights[i * n + j] + weights[j * n + i]));
  }
  return most;
}

function tangent(gradient, z, dim) {
  const along = gradient.slice();
  for (let start = 0; start < z.length; start += dim) {
    let radial = 0;
    for (let k = start; k < start + dim; k += 1) radial += gradient[k] * z[k];
    for (let k = start; k < start + dim; k += 1) along[k] -= radial * z[k];
  }
  return along;
}

function words(value) {
  return value === 0 ? "0" : value.toPrecision(3).replace("-", "−");
}

function fixed(value) {
  return value.toFixed(3).replace("-", "−");
}
