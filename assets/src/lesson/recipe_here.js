import { read } from "../scene/scene.js";

// A file's scene can be changed, so that its recipe, its caption and its link are written where the scene is.

/** What a figure's recipe says of its state, where that is no longer the one that the file was opened with: its link, its losses,
 * its settings, its query and its caption. `usual` gives the default of a setting, `shown` what the figure shows now, if that is
 * computed here.
 * @param {Recipe} opened @param {SceneData} before @param {SceneData} data @param {Record<string, unknown>} settings
 * @param {(key: string) => unknown} usual @param {{loss: unknown[], words: string[]} | undefined} shown @returns {Recipe} */
export function recipeHere(opened, before, data, settings, usual, shown) {
  const [path] = opened.link.split("?");
  const room = roomIn(opened.settings);
  const here = settingsHere(room, data, settings);
  // The default of a role in a link is that of the page's scene, and not that of its control.
  const roles = data.choose.map((role) => `${room}.${role}`);
  /** @param {string} key @param {unknown} value */
  const differs = (key, value) => roles.includes(key) || String(value) !== String(usual(key));
  const changed = Object.entries(here).filter(([key, value]) => value !== "" && differs(key, value));
  const query = new URLSearchParams(changed.map(([key, value]) => [key, String(value)]));
  query.sort();
  const queryAt = data.choose.indexOf("query");
  return {
    ...opened,
    link: `${path}${query.size ? "?" : ""}${query}`,
    loss: shown?.loss ?? opened.loss,
    settings: { ...opened.settings, ...here },
    query: queryAt < 0 ? null : data.picked[queryAt],
    caption: captionHere(opened, before, data, shown?.words),
  };
}

const SCENE = ".scene"; // ends the key of a room's scene

/** What begins the keys of a room's settings. @param {Record<string, unknown>} settings */
export function roomIn(settings) {
  return Object.keys(settings).find((key) => key.endsWith(SCENE))?.slice(0, -SCENE.length) ?? "";
}

/** All settings of a scene by their keys in a link. @param {string} room @param {SceneData} data @param {Record<string, unknown>} settings */
function settingsHere(room, { scene, base, presets, choose, picked, view }, settings) {
  const roles = choose.map((role, k) => [`${room}.${role}`, picked[k]]);
  return {
    ...settings,
    [`${room}${SCENE}`]: base,
    ...(read(scene).dim === 3 ? { [`${room}.dim`]: 3, [`${room}.view`]: view } : {}),
    [`${room}.at`]: presets[base]?.includes(scene) ? "" : scene,
    ...Object.fromEntries(roles),
  };
}

/** @param {Recipe} opened @param {SceneData} before @param {SceneData} data @param {string[] | undefined} words */
function captionHere({ caption, versions }, before, data, words) {
  const { choose, picked } = data;
  const title = /^[^:;]*: /.exec(caption)?.[0] ?? "";
  const head = words ? [`${title}${words.join("; ")}`] : [caption.split(`; ${placed(before)}`)[0]];
  const query = choose.indexOf("query");
  const roles = query < 0 ? [] : [`query #${picked[query]}`];
  const made = Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(", ");
  return `${[...head, placed(data), ...roles, made].join("; ")}.`;
}

/** Where the points of a scene are, in words. @param {SceneData} data */
function placed({ scene, base, presets }) {
  const { dim, points } = read(scene);
  const where = dim === 3 ? "sphere" : "circle";
  return presets[base]?.includes(scene)
    ? `scene “${base}” on the ${where}`
    : `${points.length} points placed by hand on the ${where}`;
}
