import { ExportMenu } from "./menu.js";
import { row as rowOf } from "../draw/rows.js";
import { axesOf, classKey, DrawnPicture } from "./pictures.js";
import { short } from "../draw/words.js";
import { className, present } from "../scene/scene.js";

/** The menu of the edited scene: `seen()` gives {state, gradients, look, data, words, ready} as they are now.
 * @param {HTMLElement} box @param {SVGSVGElement} svg @param {() => EditedScene} seen */
export function offerScene(box, svg, seen) {
  const about = () => {
    const { data: { palette, recipe }, state, look, gradients } = seen();
    const { scene } = state;
    const parts = [
      seen().words.replace(/\.$/, ""),
      ...Object.entries(gradients).filter(([, gradient]) => gradient).map(arrows(state)),
    ];
    const words = `${parts.join(". ")}.`;
    const key = classKey(present(scene).map((c) => [c, className(c)]), look, scene.proxies.length);
    return { palette, theme: look.theme, recipe, words, key, table: () => table(seen()) };
  };
  const picture = new DrawnPicture(svg, about);
  picture.isDrawn = () => seen().ready && Object.values(seen().gradients).every(Boolean);
  return new ExportMenu(box, picture);
}

/** The menu of another drawing of the scene: `seen()` gives {data, look, frame} as they are now.
 * @param {HTMLElement} box @param {SVGSVGElement} svg
 * @param {() => {data: SecondViewData, look: Look, frame: ProxiesFrame | null}} seen
 */
export function offerDrawing(box, svg, seen) {
  const about = () => {
    const { data: { palette, recipe }, look, frame } = seen();
    const words = svg.getAttribute("aria-label");
    const scene = frame?.seen.state.scene; // none before the first picture
    const key = scene && classKey(present(scene).map((c) => [c, className(c)]), look, scene.proxies.length);
    return { palette, theme: look.theme, recipe, words, key, table: () => rowsOf(frame.seen.scene, [], () => []) };
  };
  const picture = new DrawnPicture(svg, about);
  picture.isDrawn = () => seen().frame;
  return new ExportMenu(box, picture);
}

/** How many points have a gradient under a loss, and which has the longest. @param {SceneState} state */
function arrows({ scene: { dim, points, labels } }) {
  return (/** @type {[string, LossGradient]} */ [name, { z }]) => {
    const lengths = points.map((_, i) => Math.hypot(...rowOf(z, i, dim)));
    const some = lengths.filter((length) => length > 1e-9).length;
    const far = Math.max(...lengths);
    const longest = lengths.indexOf(far);
    const which = some ? `; the longest, ${short(far)}, is that of #${longest}, ${className(labels[longest])}` : "";
    return `${name.replace(/_/g, " ")} of the whole batch: ${some} of ${points.length} points have a gradient${which}`;
  };
}

// Where points and proxies are; `more` gives the other cells in the row of point or proxy `i`, under `columns`.
/** @param {SceneRows} scene @param {string[]} columns @param {(i: number, proxy: boolean) => Cell[]} more */
function rowsOf({ dim, z, y, proxies }, columns, more) {
  /** @param {Float64Array} rows @param {number} label @param {number} i @param {boolean} proxy */
  const row = (rows, label, i, proxy) => [proxy ? `proxy ${i}` : i, className(label), ...rowOf(rows, i, dim), ...more(i, proxy)];
  const points = Array.from(y, (label, i) => row(z, label, i, false));
  const learnt = Array.from({ length: (proxies?.length ?? 0) / dim }, (_, p) => row(proxies, p, p, true));
  return { columns: ["point", "class", ...axesOf(dim), ...columns], rows: [...points, ...learnt] };
}

/** The places with the roles and each loss's gradient. @param {EditedScene} seen */
function table({ state, gradients }) {
  const { scene, rows } = state;
  const axes = axesOf(scene.dim);
  const losses = Object.entries(gradients).filter(([, gradient]) => gradient);
  const columns = ["role", ...losses.flatMap(([name]) => axes.map((axis) => `${name} d/d${axis}`))];
  return rowsOf({ dim: scene.dim, y: scene.labels, ...rows }, columns, (i, proxy) => [
    state.rolesOf(proxy ? scene.points.length + i : i).join(" "),
    ...losses.flatMap(/** @returns {(string | number)[]} */ ([, { z, learnt }]) => {
      const rows = proxy ? learnt?.proxies : z;
      return rows ? rowOf(rows, i, scene.dim) : axes.map(() => "");
    }),
  ]);
}
