import { allowed } from "./allowed.js";

// What a file says of its picture, whatever its format.

/** What the screen shows, as options. @type {ExportOptions} */
export const AS_SEEN = {
  width: null,
  height: null,
  font: "sans",
  points: 0,
  line: 1,
  palette: "screen",
  ground: "paper",
  letters: "words",
  title: false,
  legend: true,
};

/** The recipe of a picture as text: with its address, and how it is drawn where that is not as the screen has it.
 * @param {AnyPicture} picture */
export function recipeOf(picture, options = AS_SEEN) {
  const recipe = picture.recipe();
  const { width, height } = picture.size();
  const size = recipe.size?.width ? recipe.size : { width: Math.round(width), height: Math.round(height) };
  const write_up = options === AS_SEEN ? null : options;
  return { ...recipe, address: addressOf(recipe.link), size, write_up };
}

/** The address of a link below the app, whose own address `dmlBase` has where the page is not the app; "" if it is not known.
 * @param {string} link */
export function addressOf(link) {
  const base = window.dmlBase ?? document.baseURI;
  return base && new URL(link, base).href;
}

/** A link with a setting at another value; null leaves it out.
 * @param {string} link @param {string} name @param {string | number | null} value */
export function withSetting(link, name, value) {
  const [path, query = ""] = link.split("?");
  const settings = new URLSearchParams(query);
  if (value === null) settings.delete(name);
  else settings.set(name, String(value));
  settings.sort();
  return `${path}${String(settings) ? "?" : ""}${settings}`;
}

/** A caption: what is seen, and how to see it again. @param {AnyPicture} picture */
export function captionOf(picture) {
  const { caption, link } = picture.recipe();
  return [picture.about().words, caption, addressOf(link) || link].filter(Boolean).join("\n");
}

/** What a file says of a picture: its title, words, caption and recipe. @param {AnyPicture} picture @returns {FileAbout} */
export function aboutOf(picture, options = AS_SEEN) {
  const recipe = JSON.stringify(recipeOf(picture, options));
  const { words, recipe: { title } } = picture.about();
  return { title: allowed(title), words: allowed(words), caption: allowed(captionOf(picture)), recipe };
}
