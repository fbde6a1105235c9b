// Scenes as dml_viz/embedding/scene.py has them: {dim, points, labels, proxies}, places in degrees with hundredths.

const LETTERS = "abcdefgh";
const HIGHEST = 18;
const WAVES = 11;
const DEGREE = Math.PI / 180;

/** The scene that a link holds; Python has checked it. @param {string} text @returns {Scene} */
export function read(text) {
  /** @type {Scene} */ const scene = { dim: text.includes("~") ? 3 : 2, points: [], labels: [], proxies: [] };
  for (const [, letter, written] of text.matchAll(/([A-Ha-h])([^A-Za-z]*)/g)) {
    const places = written.split("_").map((place) => place.split("~").map(Number));
    if (letter !== letter.toLowerCase()) scene.proxies.push(...places);
    else {
      scene.points.push(...places);
      scene.labels.push(...places.map(() => LETTERS.indexOf(letter)));
    }
  }
  return scene;
}

/** @type {WeakMap<Scene, string>} */ const written = new WeakMap();

/** The scene as a link holds it. @param {Scene} scene @returns {string} */
export function write(scene) {
  if (!written.has(scene)) written.set(scene, linked(scene));
  return written.get(scene);
}

/** @param {Scene} scene */ function linked({ points, labels, proxies }) {
  /** @param {number[]} degrees */ const place = (degrees) => degrees.map(String).join("~");
  const own = points.map((point, i) => `${labels[i] === labels[i - 1] ? "_" : LETTERS[labels[i]]}${place(point)}`);
  return [...own, ...proxies.map((proxy, label) => LETTERS[label].toUpperCase() + place(proxy))].join("");
}

/** Hundredths of a degree, and one name for each place. @param {number[]} given @returns {number[]} */
export function settled([angle, ...latitude]) {
  /** @param {number} degrees */ const round = (degrees) => Math.round(degrees * 100) / 100 + 0;
  return [round(((round(angle) % 360) + 360) % 360) % 360, ...latitude.map((l) => round(clamp(l, -90, 90)))];
}

/** The unit vector at a place. @param {number[]} given @returns {number[]} */
export function vector([longitude, latitude]) {
  const [x, y] = [Math.cos(longitude * DEGREE), Math.sin(longitude * DEGREE)];
  if (latitude === undefined) return [x, y];
  const flat = Math.cos(latitude * DEGREE);
  return [x * flat, y * flat, Math.sin(latitude * DEGREE)];
}

/** The place in whose direction a vector points. @param {number[]} given */
export function placeOf([x, y, z]) {
  const angle = Math.atan2(y, x) / DEGREE;
  return settled(z === undefined ? [angle] : [angle, Math.atan2(z, Math.hypot(x, y)) / DEGREE]);
}

/** Places as rows, one after the other. @param {number[][]} places */
export function rows(places) {
  return Float64Array.from(places.flatMap(vector));
}

/** The scene on the circle (dim 2) or the sphere (3). @param {Scene} scene @param {number} dim @returns {Scene} */
export function within(scene, dim) {
  if (dim === scene.dim) return scene;
  /** @param {number[]} given */ const lifted = ([a]) => settled([a, HIGHEST * Math.sin(WAVES * a * DEGREE)]);
  const move = dim === 3 ? lifted : (/** @type {number[]} */ [angle]) => [angle];
  return { ...scene, dim, points: scene.points.map(move), proxies: scene.proxies.map(move) };
}

/** The number of classes in a scene, with empty ones before the last. @param {{labels: number[], proxies: number[][]}} scene */
export function classes({ labels, proxies }) {
  return Math.max(Math.max(...labels) + 1, proxies.length);
}

/** The classes that have a point or a proxy. @param {Scene} scene */
export function present(scene) {
  return [...Array(classes(scene)).keys()].filter((c) => scene.labels.includes(c) || c < scene.proxies.length);
}

/** What a class is called. @param {number} label */
export function className(label) {
  return `class ${LETTERS[label].toUpperCase()}`;
}

/** A place in words. @param {number[]} given */
export function spoken([longitude, latitude]) {
  if (latitude === undefined) return `${longitude} degrees`;
  return `longitude ${longitude}, latitude ${latitude} degrees`;
}

/** `value` or the nearer end. @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
