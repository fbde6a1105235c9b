import { read } from "../scene/scene.js";

// A file's scene can be changed, so that its recipe, its caption and its link are written where the scene is.

/** What a figure's recipe says of its state, where that is no longer the one that the file was saved with: its link, its losses,
 * its settings, its query and its caption. `usual` gives the default of a setting.
 * @param {Recipe} saved @param {SceneData} data @param {Record<string, unknown>} settings
 * @param {(key: string) => unknown} usual @returns {Recipe} */
export function recipeHere(saved, data, settings, usual) {
  const [path] = saved.link.split("?");
  const here = settingsHere(path, data, settings);
  const changed = Object.entries(here).filter(([key, value]) => value !== "" && String(value) !== String(usual(key)));
  const query = new URLSearchParams(changed.map(([key, value]) => [key, String(value)]));
  query.sort();
  const loss = lossesHere(saved, data);
  const queryAt = data.choose.indexOf("query");
  return {
    ...saved,
    link: `${path}${query.size ? "?" : ""}${query}`,
    loss,
    settings: { ...saved.settings, ...here },
    query: queryAt < 0 ? null : data.picked[queryAt],
    caption: captionHere(saved, data, loss, queryAt),
  };
}

/** All settings of a scene by their keys in a link. @param {string} path @param {SceneData} data @param {Record<string, unknown>} settings */
function settingsHere(path, { scene, base, presets, choose, picked }, settings) {
  const solid = read(scene).dim === 3;
  const roles = choose.map((role, k) => [`${path}.${role}`, picked[k]]);
  return {
    ...settings,
    [`${path}.scene`]: base,
    ...(solid ? { [`${path}.dim`]: 3 } : {}),
    [`${path}.at`]: presets[base]?.includes(scene) ? "" : scene,
    ...Object.fromEntries(roles),
  };
}

/** @param {Recipe} saved @param {SceneData} data @param {RecipeLoss[]} losses @param {number} queryAt */
function captionHere({ caption, versions }, { scene, base, presets, choose, picked }, losses, queryAt) {
  const { dim, points } = read(scene);
  const where = dim === 3 ? "sphere" : "circle";
  const moved = !presets[base]?.includes(scene);
  const parts = losses.map(({ title, knobs }) => {
    const words = Object.entries(knobs).map(([name, value]) => `${name.replaceAll("_", " ")} = ${valueOf(value)}`);
    return words.length ? `${title} (${words.join(", ")})` : title;
  });
  parts.push(moved ? `${points.length} points placed by hand on the ${where}` : `scene “${base}” on the ${where}`);
  if (queryAt >= 0) parts.push(`${choose[queryAt]} #${picked[queryAt]}`);
  parts.push(Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(", "));
  return `${/^[^:;]*: /.exec(caption)?.[0] ?? ""}${parts.join("; ")}.`;
}

/** @param {unknown} value */ function valueOf(value) {
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** The losses with their knobs as they are now, where the scene or what is drawn around it has them.
 * @param {Recipe} saved @param {SceneData} data @returns {RecipeLoss[]} */
function lossesHere(saved, { losses, settings }) {
  const known = /** @type {RecipeLoss[]} */ (saved.loss);
  const overlay = /** @type {Record<string, unknown>} */ ({ ...settings });
  const panels = /** @type {GradientsOverlay["losses"] | undefined} */ (overlay.losses);
  const named = Object.entries(panels ?? losses);
  if (named.length) {
    return named.map(([name, { knobs, ...more }]) => {
      const title = "title" in more ? more.title : known.find((each) => each.name === name)?.title;
      return { name, title: title ?? name, knobs };
    });
  }
  return known.map((each) => {
    const names = Object.keys(each.knobs);
    const sets = /** @type {Record<string, unknown>[]} */ (Object.values(overlay).filter((value) =>
      value && typeof value === "object"
    ));
    const now = sets.find((set) => names.every((name) => name in set));
    return { ...each, knobs: Object.fromEntries(names.map((name) => [name, (now ?? each.knobs)[name]])) };
  });
}

/** @typedef {{name: string, title: string, knobs: Record<string, unknown>}} RecipeLoss */
