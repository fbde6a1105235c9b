// What Python means by the operators, calls and builtins of a page's model: dml_viz/to_javascript/rooms.py writes calls of these.

import { each, EVERY, Slice } from "./array.js";
import { at as entry, put as set } from "./selection.js";
import * as python from "../losses/python.js";
import { read, write } from "../scene/scene.js";
import { isArray, isNamed, matmul, rounded } from "./numpy.js";
import { str } from "./text.js";
import "./methods.js";

export * from "../losses/python.js";
export * from "./numpy.js";
export * from "./text.js";
export * from "./classes.js";
export { finfo, Loss } from "./classes.js";
export { array, ELLIPSIS, EVERY, Slice } from "./array.js";
/** @typedef {FromPython} Value whatever Python code of a page handles */

/** @param {(a: Value, b: Value) => Value} scalar @param {(a: number, b: number) => number | boolean} f @param {"b" | "i" | "f"} [kind] */
const operator = (scalar, f, kind) => (/** @type {Value} */ a, /** @type {Value} */ b) => {
  if (typeof a === "number" && typeof b === "number") return f(a, b);
  if (isArray(a) || isArray(b)) return each((x, y) => Number(f(x, y)), [a, b], kind);
  if (typeof a === "boolean" || typeof b === "boolean") return scalar(bare(a), bare(b));
  return scalar(a, b);
};
/** @param {Value} x */ const bare = (x) => (typeof x === "boolean" ? Number(x) : x);
/** @param {(a: number, b: number) => number} f */ const whole = (f) => operator(f, f);
export const add = operator((a, b) => (typeof a === "string" ? a + b : python.add(a, b)), (a, b) => a + b);
export const sub = operator(python.sub, (a, b) => a - b);
export const mul = operator(times, (a, b) => a * b);
export const div = operator(python.div, (a, b) => a / b, "f");
export const pow = operator(python.pow, (a, b) => (b === 0.5 ? Math.sqrt(a) : a ** b));
export const floordiv = whole(python.floordiv);
export const mod = whole(python.mod);
export const lt = operator(python.lt, (a, b) => a < b, "b");
export const le = operator(python.le, (a, b) => a <= b, "b");
export const gt = operator(python.gt, (a, b) => a > b, "b");
export const ge = operator(python.ge, (a, b) => a >= b, "b");
export const bitand = logical((a, b) => a & b);
export const bitor = logical((a, b) => a | b);
export { matmul };

/** @param {(a: number, b: number) => number} f */
function logical(f) {
  return (/** @type {Value} */ a, /** @type {Value} */ b) => {
    if (isArray(a) || isArray(b)) return each(f, [a, b]);
    if (a instanceof Map || a instanceof python.Dict) return f(1, 0) ? python.dict([...pairs(a), ...pairs(b)]) : a;
    if (typeof a === "function" || a?.[0]?.prototype) return [a, b].flat(); // types
    if (a instanceof Set) return new Set([...a].filter((x) => f(1, Number(b.has(x)))));
    return typeof a === "boolean" ? Boolean(f(Number(a), Number(b))) : f(a, b);
  };
}

/** @param {Value} a @param {Value} b */ function times(a, b) {
  if (Array.isArray(a)) return Array.from({ length: b }, () => a).flat();
  return typeof a === "string" ? a.repeat(b) : python.mul(a, b);
}

/** @param {Value} x */ const pairs = (x) => (x instanceof Map ? [...x] : x.items());
/** -a @param {Value} a */ export const neg = (a) => (isArray(a) ? each((x) => -x, [a]) : python.neg(bare(a)));
/** ~a @param {Value} a */
export const invert = (a) => (isArray(a) ? each((x) => (a.kind === "b" ? 1 - x : ~x), [a]) : typeof a === "boolean" ? !a : ~a);
/** a == b @param {Value} a @param {Value} b */
export function eq(a, b) {
  if (isArray(a) || isArray(b)) return a === null || b === null ? false : each((x, y) => Number(x === y), [a, b], "b");
  if (a?.fields && b?.fields) {
    return a.constructor === b.constructor && a.fields.every((/** @type {string} */ name) => eq(a[name], b[name]));
  }
  if (a instanceof python.Dict || b instanceof python.Dict) {
    return a?.size === b?.size && pairs(a).every((/** @type {Value} */ [key, value]) => b.has(key) && eq(value, b.get(key)));
  }
  return python.eq(bare(a), bare(b));
}
/** a != b @param {Value} a @param {Value} b */
export const ne = (a, b) => (isArray(a) || isArray(b) ? invert(eq(a, b)) : !eq(a, b));
/** a or b @param {Value} a @param {() => Value} b */ export const or = (a, b) => (truth(a) ? a : b());
/** a and b @param {Value} a @param {() => Value} b */ export const and = (a, b) => (truth(a) ? b() : a);

/** Whether `if x` goes on. @param {Value} x @returns {boolean} */
export function truth(x) {
  if (x === null || x === undefined) return false;
  if (isArray(x)) {
    if (x.size !== 1) throw new TypeError("an array of several numbers is neither true nor false");
    return Boolean(x.data[0]);
  }
  if (typeof x !== "object" || x instanceof Set) return x instanceof Set ? x.size > 0 : Boolean(x);
  return x.length !== undefined || x.size !== undefined ? python.len(x) > 0 : python.number(x) === x || Boolean(python.number(x));
}

/** x[index] @param {Value} x @param {...Value} index @returns {Value} */
export function at(x, ...index) {
  const [key] = index;
  if (isArray(x)) return entry(x, ...index);
  if (index.length === 2 && key === EVERY && index[1] === null) return x.column();
  if (key instanceof Slice) {
    const found = key.indices(x.length).map((k) => x[k]);
    return typeof x === "string" ? found.join("") : found;
  }
  if (typeof x === "string") return x.at(key);
  if (x.fields && typeof key === "number") return x[x.fields[key]];
  if (x instanceof Map) return x.get(key);
  return python.at(x, index.length > 1 ? index : key);
}

/** x[index] = value @param {Value} x @param {Value} value @param {...Value} index */
export function put(x, value, ...index) {
  if (isArray(x)) set(x, value, ...index);
  else python.put(x, index.length > 1 ? index : index[0], value);
}

/** key in x @param {Value} x @param {Value} key */
export function has(x, key) {
  if (x?.contains) return x.contains(key);
  if (typeof x === "string") return x.includes(key);
  if (isArray(x)) return Array.from(x.data).includes(Number(key));
  return x instanceof Set || x instanceof Map ? x.has(key) : python.has(x, key);
}

/** What a loop over x goes through. @param {Value} x @returns {Value[]} */
export function list(x = []) {
  return x instanceof python.Dict ? [...x.keys()] : [...(x instanceof Map ? x.keys() : x)];
}
export { list as each };

/** x after x += y @param {Value} x @param {Value} y */
export function iadd(x, y) {
  if (!Array.isArray(x)) return add(x, y);
  x.push(...list(y));
  return x;
}

/** @param {Value} x */
export const len = (x) => (x instanceof Set || x instanceof Map ? x.size : x.fields?.length ?? python.len(x));
/** @param {Value} x */ export const int = (x) => Math.trunc(Number(isArray(x) ? x.data[0] : x));
/** @param {Value} x */ export const float = (x) => {
  if (typeof x === "string") return Number({ inf: Infinity, "-inf": -Infinity }[x] ?? x);
  return isArray(x) ? x.data[0] : Number(python.number(x));
};
int.called = "int";
float.called = "float";
/** @param {Value} x */ export const bool = (x) => truth(x);
bool.called = "bool";
/** @param {Value} x */ export const abs = (x) => (isArray(x) ? each(Math.abs, [x]) : Math.abs(x));
/** @param {Value} x @param {number} [digits] */ export const round = (x, digits) => rounded(x, digits ?? 0);
/** @param {Value} x */ export const all = (x) => list(x).every(truth);
/** @param {Value} x */ export const any = (x) => list(x).some(truth);
/** @param {Value} x @param {Value} start */ export const sum = (x, start = 0) =>
  list(x).reduce((before, item) => add(before, item), start);
/** @param {Value} f @param {...Value} x */
export const map = (f, ...x) => zip(...x).map((/** @type {Value[]} */ items) => f(...items));
/** @param {Value} f @param {Value} x */ export const filter = (f, x) => list(x).filter((item) => truth(f ? f(item) : item));
/** @param {...Value} x */ export const zip = (...x) => python.zip(...x.filter((each) => !isNamed(each)).map(list));
/** @param {Value} x @param {number} start */ export const enumerate = (x, start = 0) =>
  list(x).map((item, k) => [start + k, item]);
/** @param {Value} x */ export const reversed = (x) => list(x).reverse();
/** @param {Value} x */ export const iter = (x) => list(x)[Symbol.iterator]();
/** @param {Value} x @param {Value} rest */
export function next(x, rest) {
  const { value, done } = x.next ? x.next() : iter(x).next();
  if (done && rest === undefined) throw new RangeError("there is no next one");
  return done ? rest : value;
}
/** @param {Value} x */ export const set_of = (x = []) => new Set(list(x));
/** slice(...ends) @param {...number | null} ends */
export const slice = (...ends) => (ends.length === 1 ? new Slice(null, ends[0]) : new Slice(...ends));
/** @param {number} a @param {number} b */ export const divmod = (a, b) => [floordiv(a, b), mod(a, b)];
/** @param {(a: Value, b: Value) => boolean} better */
const best = (better) => (/** @type {Value[]} */ ...given) => {
  const { key = null, default: rest } = isNamed(given.at(-1)) ? given.pop() : {};
  /** @param {Value} item */ const mark = (item) => rank(key ? key(item) : item);
  const items = given.length > 1 ? given : list(given[0]);
  if (!items.length && rest === undefined) throw new RangeError("nothing to take the least or the greatest of");
  return items.length ? items.reduce((found, item) => (better(mark(item), mark(found)) ? item : found)) : rest;
};
/** @param {Value} x */ const rank = (x) => (typeof x === "object" && !Array.isArray(x) ? python.number(x) : x);
/** @param {Value} a @param {Value} b @returns {number} */ function compared(a, b) {
  if (!Array.isArray(a)) return Number(a > b) - Number(a < b);
  return a.map((x, k) => compared(x, b[k])).find(Boolean) ?? 0;
}
export const max = best((a, b) => compared(a, b) > 0);
export const min = best((a, b) => compared(a, b) < 0);
/** @param {Value} x @param {{key?: (x: Value) => Value, reverse?: boolean}} named */
export function sorted(x, { key = (y) => y, reverse = false } = {}) {
  const sign = reverse ? -1 : 1;
  return list(x).sort((a, b) => sign * compared(rank(key(a)), rank(key(b))));
}
/** The items so far put together, one by one. @param {Value} x @param {(a: Value, b: Value) => Value} f @param {{initial?: Value}} named */
export function accumulate(x, f, { initial }) {
  const found = [initial];
  for (const item of list(x)) found.push(f(found.at(-1), item));
  return found;
}
/** s.join(parts) @param {string} s @param {Value} parts */ export const join = (s, parts) => list(parts).join(s);
/** @param {string} s */ export const capitalize = (s) => s.slice(0, 1).toUpperCase() + s.slice(1).toLowerCase();
/** s.replace(part, instead) @param {string} s @param {string} part @param {string} instead */
export const replace = (s, part, instead) => s.replaceAll(part, instead);
/** x.get(key, rest) @param {Value} x @param {Value} key @param {Value} rest */
export const get = (x, key, rest = null) => (has(x, key) ? at(x, key) : rest);
/** x.count(item) @param {Value} x @param {Value} item */
export const count = (x, item) => list(x).filter((other) => eq(other, item)).length;
/** x.index(item) @param {Value} x @param {Value} item */ export const index = (x, item) =>
  list(x).findIndex((other) => eq(other, item));
/** x.rstrip(letters) @param {string} s @param {string} letters @returns {string} */
export const rstrip = (s, letters) => (letters && letters.includes(s.at(-1) ?? "") && s ? rstrip(s.slice(0, -1), letters) : s);
/** @param {string} s */ export const upper = (s) => s.toUpperCase();
/** @param {string} s */ export const lower = (s) => s.toLowerCase();
/** @param {string} s @param {string} mark */ export const split = (s, mark) => s.split(mark);
/** @param {string} s @param {string} start */
export const removeprefix = (s, start) => (s.startsWith(start) ? s.slice(start.length) : s);
/** @param {string} s @param {string} end */ export const startswith = (s, end) => s.startsWith(end);
/** x.setdefault(key, rest) @param {Value} x @param {Value} key @param {Value} rest */
export function setdefault(x, key, rest) {
  if (!x.has(key)) x.set(key, rest);
  return x.get(key);
}
/** The scene that a link holds. @param {Value} Kind of a scene @param {string} text */
export function scene_of(Kind, text) {
  const { dim, points, labels, proxies } = read(text);
  return new Kind(dim, points, labels, proxies);
}
/** @param {number[]} place */ const hundredths = ([angle, ...latitude]) => [
  rounded(mod(rounded(angle, 2), 360), 2) % 360,
  ...latitude.map((degrees) => rounded(degrees, 2) + 0),
];
/** A scene as a link holds it. @param {Value} scene */
export const text_of_scene = (scene) =>
  write({ ...scene, points: scene.points.map(hundredths), proxies: scene.proxies.map(hundredths) });
export { str };
/** The classes of Python's plain values, by name. @type {Record<string, Value>} */
export const kinds = { int, float, bool, str, tuple: list, list };
