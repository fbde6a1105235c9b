// Scenes as dml_viz/embedding/scene.py has them: {dim, points, labels, proxies}, places in degrees with hundredths.

const LETTERS = "abcdefgh";
const HIGHEST = 18;
const WAVES = 11;
const DEGREE = Math.PI / 180;

/** The scene that a link holds; Python has checked it. */
export function read(text) {
  const scene = { dim: text.includes("~") ? 3 : 2, points: [], labels: [], proxies: [] };
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

/** The scene as a link holds it. */
export function write({ points, labels, proxies }) {
  const place = (degrees) => degrees.map(String).join("~");
  const own = points.map((point, i) => `${labels[i] === labels[i - 1] ? "_" : LETTERS[labels[i]]}${place(point)}`);
  return [...own, ...proxies.map((proxy, label) => LETTERS[label].toUpperCase() + place(proxy))].join("");
}

/** Hundredths of a degree, and one name for each place. */
export function settled([angle, ...latitude]) {
  const round = (degrees) => Math.round(degrees * 100) / 100 + 0;
  return [round(((round(angle) % 360) + 360) % 360) % 360, ...latitude.map((l) => round(clamp(l, -90, 90)))];
}

/** The unit vector at a place. */
export function vector([longitude, latitude]) {
  const [x, y] = [Math.cos(longitude * DEGREE), Math.sin(longitude * DEGREE)];
  if (latitude === undefined) return [x, y];
  const flat = Math.cos(latitude * DEGREE);
  return [x * flat, y * flat, Math.sin(latitude * DEGREE)];
}

/** The place in whose direction a vector points. */
export function placeOf([x, y, z]) {
  const angle = Math.atan2(y, x) / DEGREE;
  return settled(z === undefined ? [angle] : [angle, Math.atan2(z, Math.hypot(x, y)) / DEGREE]);
}

/** Places as rows, one after the other. */
export function rows(places) {
  return Float64Array.from(places.flatMap(vector));
}

/** The scene on the circle (dim 2) or the sphere (3). */
export function within(scene, dim) {
  if (dim === scene.dim) return scene;
  const lifted = ([a]) => settled([a, HIGHEST * Math.sin(WAVES * a * DEGREE)]);
  const move = dim === 3 ? lifted : ([angle]) => [angle];
  return { ...scene, dim, points: scene.points.map(move), proxies: scene.proxies.map(move) };
}

/** The number of classes in a scene, with empty ones before the last. */
export function classes({ labels, proxies }) {
  return Math.max(Math.max(...labels) + 1, proxies.length);
}

/** The classes that have a point or a proxy. */
export function present(scene) {
  return [...Array(classes(scene)).keys()].filter((c) => scene.labels.includes(c) || c < scene.proxies.length);
}

/** What a class is called. */
export function className(label) {
  return `class ${LETTERS[label].toUpperCase()}`;
}

/** A place in words. */
export function spoken([longitude, latitude]) {
  if (latitude === undefined) return `${longitude} degrees`;
  return `longitude ${longitude}, latitude ${latitude} degrees`;
}

/** `value` or the nearer end. */
export function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
