// Moving pictures: the steps of a run, race or flow, drawn one by one and encoded by the browser.

import { builtLibrary } from "../host/assets.js";
import { bigEndian } from "./checksum.js";
import { AS_SEEN, recipeOf } from "./recipe.js";
import { withImage } from "./raster.js";
import { renderForExport, svgText } from "./svg.js";

const PIXELS = 96; // to the inch
const RATE = 12; // pictures a second, at most
const MOST = 120; // pictures
/** @type {Record<string, string[]>} */ const CODECS = { webm: ["vp9", "av1", "vp8"], mp4: ["avc", "av1", "vp9"] };
const FILM = { width: 1280, height: 720 }; // pixels
const LOOK = { ...AS_SEEN, points: 18, palette: "light", letters: "outlines" };

/** The steps of `all` that a film of `seconds` shows, the first and the last among them.
 * @param {number[]} all @param {number} seconds */
export function stepsOfFilm(all, seconds) {
  const many = Math.max(1, Math.min(all.length, MOST, Math.round(RATE * seconds)));
  return Array.from({ length: many }, (_, k) => all[Math.round(((all.length - 1) * k) / Math.max(1, many - 1))]);
}

/** The film of a picture as bytes of the format `name`: "webm", "mp4" or "gif". `wanted` has width and height in pixels (even
 * numbers), seconds, `progress(done, of)` and `signal`, by which it is given up. The step shown before is shown again.
 * @param {AnyPicture} picture @param {string} name @param {FileAbout} about @param {FilmSettings} settings */
export async function movie(picture, name, about, settings) {
  const { seconds = 8, progress = (_done, _of) => {}, signal = null, ...size } = settings;
  if (!picture.moving) throw new Error("this figure does not move: a run, a race and a flow do");
  const library = await builtLibrary("movie_library");
  const { width, height } = { ...FILM, ...size };
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d", { willReadFrequently: name === "gif" });
  const steps = stepsOfFilm(picture.moving.steps(), seconds);
  const each = seconds / steps.length;
  const before = picture.moving.now();
  const film = await (name === "gif" ? gif : video)(library, name, canvas, each);
  const points = Math.max(8, (LOOK.points * height) / FILM.height);
  const options = { ...LOOK, points, width: width / PIXELS, height: height / PIXELS };
  let like = null;
  try {
    for (const [k, step] of steps.entries()) {
      if (signal?.aborted) throw new Error("given up");
      await picture.moving.show(step);
      const engraving = await renderForExport(picture, options, like);
      like = engraving.like;
      const text = svgText(engraving, { ...about, recipe: "" });
      engraving.close();
      await withImage(text, (image) => pen.drawImage(image, 0, 0, width, height));
      await film.add(k);
      progress(k + 1, steps.length);
    }
    return await film.end(JSON.stringify(recipeOf(picture)));
  } catch (error) {
    await film.cancel?.(); // an encoder holds memory of the graphics card
    throw error;
  } finally {
    await picture.moving.show(before);
  }
}

/** @type {FilmMaker} */ const video = async (library, name, canvas, each) => {
  const { width, height } = canvas;
  const codec = globalThis.VideoEncoder && await library.getFirstEncodableVideoCodec(CODECS[name], { width, height });
  if (!codec) throw new Error(`this browser encodes no ${name === "mp4" ? "MP4" : "WebM"}; choose another format`);
  const format = name === "mp4" ? new library.Mp4OutputFormat() : new library.WebMOutputFormat();
  const output = new library.Output({ format, target: new library.BufferTarget() });
  const source = new library.CanvasSource(canvas, { codec, bitrate: library.QUALITY_MEDIUM });
  output.addVideoTrack(source);
  let started = false;
  return {
    add: async (k) => {
      if (!started) await output.start();
      started = true;
      await source.add(k * each, each);
    },
    cancel: () => output.cancel(),
    end: async (recipe) => {
      await output.finalize();
      return withRecipe(new Uint8Array(output.target.buffer), recipe, name);
    },
  };
};

/** @type {FilmMaker} */ const gif = async ({ GIFEncoder, applyPalette, quantize }, name, canvas, each) => {
  const encoder = GIFEncoder();
  const { width, height } = canvas;
  /** @param {number} k */ const hundredths = (k) => Math.round(100 * each * k); // the format's unit of time
  return {
    add: async (k) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      const palette = quantize(data, 256);
      encoder.writeFrame(applyPalette(data, palette), width, height, {
        palette,
        delay: 10 * (hundredths(k + 1) - hundredths(k)),
      });
      await new Promise((resolve) => setTimeout(resolve));
    },
    end: async (recipe) => {
      encoder.finish();
      return withRecipe(encoder.bytes(), recipe, name);
    },
  };
};

// The recipe where players pass it by: a box of its own in MP4, an empty element in WebM, behind the end of a GIF.
/** @param {Uint8Array<ArrayBuffer>} bytes @param {string} recipe @param {string} name */
function withRecipe(bytes, recipe, name) {
  const note = new TextEncoder().encode(`dml-viz recipe: ${recipe}\n`);
  /** @type {Record<string, () => number[]>} */ const heads = {
    mp4: () => [...bigEndian(note.length + 8), ...new TextEncoder().encode("free")],
    webm: () => [0xec, ...bigEndian(0x10000000 + note.length)], // EBML's Void, with its length in four bytes
    gif: () => /** @type {number[]} */ ([]),
  };
  const head = heads[name]();
  const whole = new Uint8Array(bytes.length + head.length + note.length);
  whole.set(bytes);
  whole.set(head, bytes.length);
  whole.set(note, bytes.length + head.length);
  return whole;
}
