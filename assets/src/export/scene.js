import { ExportMenu } from "./menu.js";
import { DrawnPicture, sign } from "./pictures.js";
import { classes, className } from "../scene/scene.js";
import { SHAPES } from "../kit/marker.js";

const AXES = ["x", "y", "z"];

/** The menu of the scene in the hand: `seen()` gives {state, gradients, look, data, words} as they are now. */
export function offerScene(box, svg, seen) {
  const about = () => {
    const { data, look, words } = seen();
    const { recipe } = data;
    return {
      name: recipe.figure,
      palette: data.palette,
      theme: look.theme,
      title: recipe.title,
      words,
      recipe,
      key: keyOf(seen()),
      table: () => table(seen()),
    };
  };
  const picture = new DrawnPicture(svg, about);
  picture.drawn = () => seen().ready && Object.values(seen().gradients).every(Boolean) && painted(svg);
  return new ExportMenu(box, picture);
}

/** The menu of a drawing of a scene beside the hand: `seen()` gives {data, look, svg, frame} as they are now. */
export function offerDrawing(box, svg, seen) {
  const about = () => {
    const { data, look, frame } = seen();
    return {
      name: data.recipe.figure,
      palette: data.palette,
      theme: look.theme,
      title: data.recipe.title,
      recipe: data.recipe,
      words: svg.getAttribute("aria-label"),
      key: [],
      table: () => places(frame.seen.scene),
    };
  };
  const picture = new DrawnPicture(svg, about);
  picture.drawn = () => seen().frame;
  return new ExportMenu(box, picture);
}

// Where the points and proxies of an overlay's scene are.
function places({ dim, n, z, y, proxies }) {
  const axes = AXES.slice(0, dim);
  const row = (name, label, rows, i) => [name, className(label), ...axes.map((_, k) => rows[i * dim + k])];
  const stars = Array.from({ length: (proxies?.length ?? 0) / dim }, (_, p) => row(`proxy ${p}`, p, proxies, p));
  return {
    columns: ["point", "class", ...axes],
    rows: [...Array.from({ length: n }, (_, i) => row(i, y[i], z, i)), ...stars],
  };
}

/** The classes of a scene, and its proxies, as a legend. */
function keyOf({ state: { scene }, look }) {
  const present = [...Array(classes(scene)).keys()].filter((c) => scene.labels.includes(c) || c < scene.stars.length);
  const entries = present.map((c) => {
    const { colour, marker } = look.ofClass(c);
    return { text: className(c), sign: sign(SHAPES[marker] ?? SHAPES.circle, colour) };
  });
  return scene.stars.length ? [...entries, { text: "proxy", sign: sign(SHAPES.star, look.quiet) }] : entries;
}

// Once the losses are there the scene is drawn with what they say.
function painted(svg) {
  svg.dmlSince ??= new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(
    () => (svg.dmlPainted = true),
  );
  return svg.dmlPainted;
}

// A row for each point and star: class, roles, place, and what each loss's gradient is there.
function table({ state, gradients }) {
  const { scene, rows } = state;
  const axes = AXES.slice(0, scene.dim);
  const losses = Object.entries(gradients).filter(([, found]) => found);
  const columns = [
    "point",
    "class",
    "role",
    ...axes,
    ...losses.flatMap(([name]) => axes.map((axis) => `${name} d/d${axis}`)),
  ];
  const row = (handle, values, at, gradientOf) => [
    state.isStar(handle) ? `proxy ${at}` : at,
    className(state.labelOf(handle)),
    state.rolesOf(handle).join(" "),
    ...axes.map((_, k) => values[at * scene.dim + k]),
    ...losses.flatMap(([, found]) => axes.map((_, k) => gradientOf(found)?.[at * scene.dim + k] ?? "")),
  ];
  const points = scene.points.map((_, i) => row(i, rows.z, i, ({ z }) => z));
  const stars = scene.stars.map((_, i) =>
    row(scene.points.length + i, rows.proxies, i, ({ learnt }) => learnt?.proxies)
  );
  return { columns, rows: [...points, ...stars] };
}
