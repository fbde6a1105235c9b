// Colours of a finished picture in another palette: light paper for what was drawn on dark, or greys that print apart.

import { bright, channels } from "../draw/look.js";

const NEUTRAL = 26; // of 255: the largest difference between the channels of a grey
const OFF = 3; // of 255: the rounding error of a mixture
const READABLE = 0.62; // the lightest grey of lines and words on white

/** The function that maps each CSS colour to that of the other palette: `options.palette` is "screen" (as it is), "light", "dark"
 * or "grey". `palette` is Python's, with the greys of the class colours; `theme` is what the picture was drawn for.
 * @param {Pick<ExportOptions, "palette">} options @param {Palette} palette @param {string} theme
 * @returns {(text: string) => string} */
export function recolour(options, palette, theme) {
  const to = options.palette === "dark" ? "dark" : "light";
  if (options.palette === "screen" || options.palette === theme) return (text) => text;
  const [ink, paper] = [palette.ink, palette.paper].map((colours) => channels(colours[theme]));
  const [otherInk, otherPaper] = [palette.ink, palette.paper].map((colours) => channels(colours[to]));
  /** @param {string} colour */ const key = (colour) => channels(colour).slice(0, 3).join();
  /** @param {string} colour @param {string} on */
  const inTheme = (colour, on) => (on === "dark" && palette.onDark[colour]) || colour;
  const greys = new Map(palette.classes.map(({ colour, grey }) => [key(inTheme(colour, theme)), grey]));
  const known = [...new Set([...palette.classes.map(({ colour }) => colour), ...Object.keys(palette.onDark)])];
  // A tint of a class colour, such as a cell of a heat map, becomes the same tint on the other paper.
  /** @param {Channels} rgba */ const tinted = (rgba) => {
    const fits = known.map((colour) => ({ colour, ...tint(rgba, channels(inTheme(colour, theme)), paper) }))
      .filter(({ off }) => off <= OFF);
    if (!fits.length) return rgba;
    const { share, colour } = fits.reduce((best, fit) => (fit.off < best.off ? fit : best));
    return mixed(otherPaper, channels(inTheme(colour, to)), share, rgba[3]);
  };
  const tones = palette.racers?.tones ?? { dark: [], light: [] };
  const twins = new Map(tones[theme].map((tone, k) => [key(tone), channels(tones[to][k])]));
  /** @param {Channels} rgba @returns {Channels} */ const light = (rgba) => {
    if (theme === to) return rgba;
    const twin = twins.get(rgba.slice(0, 3).join());
    if (twin) return [...twin.slice(0, 3), rgba[3]];
    if (spread(rgba) > NEUTRAL) return tinted(rgba);
    const share = (bright(rgba) - bright(paper)) / (bright(ink) - bright(paper));
    return mixed(otherPaper, otherInk, Math.min(1, Math.max(0, share)), rgba[3]);
  };
  /** @param {Channels} rgba @returns {Channels} */ const grey = (rgba) => {
    const known = greys.get(rgba.slice(0, 3).join());
    if (known !== undefined) return [known, known, known, rgba[3]];
    const level = Math.round(bright(tamed(light(rgba))));
    return [level, level, level, rgba[3]];
  };
  return (text) => {
    const rgba = channels(text);
    if (!rgba) return text;
    const [r, g, b, alpha] = options.palette === "grey" ? grey(rgba) : light(rgba);
    return alpha < 1 ? `rgba(${r}, ${g}, ${b}, ${alpha})` : `rgb(${r}, ${g}, ${b})`;
  };
}

/** A pure colour too light to read on paper is darkened; a pale tint stays pale. @param {Channels} rgba */
function tamed(rgba) {
  const limit = READABLE * 255;
  const saturated = spread(rgba) > 120;
  return saturated && bright(rgba) > limit ? [limit, limit, limit, rgba[3]] : rgba;
}

// How much of a `full` colour is in a mixture of it with `paper`, and the largest error of its channels.
/** @param {Channels} rgba @param {Channels} full @param {Channels} paper */
function tint(rgba, full, paper) {
  const [along, from] = [0, 1, 2].reduce(
    ([dot, square], k) => [dot + (rgba[k] - paper[k]) * (full[k] - paper[k]), square + (full[k] - paper[k]) ** 2],
    [0, 0],
  );
  const share = Math.min(1, Math.max(0, along / from));
  const off = Math.max(...[0, 1, 2].map((k) => Math.abs(paper[k] + share * (full[k] - paper[k]) - rgba[k])));
  return { share, off };
}

/** @param {Channels} rgba */ function spread([r, g, b]) {
  return Math.max(r, g, b) - Math.min(r, g, b);
}

/** @param {Channels} from @param {Channels} to @param {number} share @param {number} alpha */
function mixed(from, to, share, alpha) {
  return [...[0, 1, 2].map((k) => Math.round(from[k] + (to[k] - from[k]) * share)), alpha];
}
