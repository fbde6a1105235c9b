import { score } from "../draw/words.js";

/** The evaluated points of one group, "unseen" or "seen" classes, and their classes. */
export class Group {
  /** @type {Set<number>} */ #all;

  /** @param {Subject} subject @param {string} name */
  constructor(subject, name, colouring = "class") {
    const { y, unseen, sets } = subject.arrays;
    this.name = name;
    /** @type {number[]} */ this.points = [];
    for (let i = 0; i < y.length; i += 1) if (Boolean(unseen[i]) === (name === "unseen")) this.points.push(i);
    this.#all = new Set(this.points);
    this.classes = [...new Set(this.points.map((i) => y[i]))].sort((a, b) => a - b);
    this.members = gathered(this.points, this.classes, y);
    // What shares a colour: a class, or all images of a set.
    const bySet = colouring === "set" && sets;
    this.kinds = bySet ? [...new Set(this.points.map((i) => sets[i]))].sort((a, b) => a - b) : this.classes;
    this.drawn = bySet ? gathered(this.points, this.kinds, sets) : this.members;
    this.kindOf = bySet ? sets : y;
    this.kindNames = bySet ? subject.header.sets : subject.header.classes;
  }

  /** @param {number} i */ has(i) {
    return this.#all.has(i);
  }
}

/** The points of each of `kinds`, in one pass. @param {number[]} points @param {number[]} kinds @param {ArrayLike<number>} kindOf */
function gathered(points, kinds, kindOf) {
  const members = new Map(kinds.map((kind) => [kind, /** @type {number[]} */ ([])]));
  for (const i of points) members.get(kindOf[i])?.push(i);
  return [...members.values()];
}

/** The subject with the points that member `k` of a frame brings in place of the subject's; the same where it brings none.
 * @param {Subject} subject @param {Frame | null} frame @param {number} k @returns {Subject} */
export function relabelled(subject, frame, k) {
  const y = frame?.arrays[`${k}.y`];
  if (!y || y === subject.arrays.y) return subject;
  const { names = [] } = frame.header.members[k];
  const unseen = Object.assign(new Uint8Array(y.length).fill(1), { shape: [y.length] });
  return {
    header: { ...subject.header, classes: names, trained: names.map((_, c) => c) },
    arrays: { ...subject.arrays, y, unseen },
  };
}

/** Those of `points` whose class has another among them: only these can be right, and only these count in R@1.
 * @param {number[]} points @param {ArrayLike<number>} labels */
export function askable(points, labels) {
  /** @type {Map<number, number>} */ const counts = new Map();
  for (const i of points) counts.set(labels[i], (counts.get(labels[i]) ?? 0) + 1);
  return points.filter((i) => (counts.get(labels[i]) ?? 0) > 1);
}

/** The share of `points` to which a point of their class is nearest among them, with places `x` and `y` of all points; a point
 * without another of its class does not count.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>}} places @param {number[]} points @param {ArrayLike<number>} labels */
export function shareRight({ x, y }, points, labels) {
  const counted = askable(points, labels);
  return counted.filter((i) => {
    let [nearest, least] = [-1, Infinity];
    for (const j of points) {
      const apart = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2;
      if (j !== i && apart < least) [nearest, least] = [j, apart];
    }
    return labels[nearest] === labels[i];
  }).length / counted.length;
}

const APART = 0.1; // between a share in all dimensions and in a picture, from which the picture says why

/** How a picture ("map" or "plane") of `dim` dimensions agrees with R@1: both shares and, where they differ, what that means.
 * @param {number} right in all dimensions @param {number} seen in the picture @param {number} dim @param {string} picture */
export function agreement(right, seen, dim, picture) {
  const words = `Nearest neighbour of the same class: ${score(right)} in ${dim} dimensions, ${score(seen)} in this ${picture}`;
  if (Math.abs(right - seen) <= APART) return `${words}.`;
  const why = picture === "map"
    ? "here the map does not show what the net has learned"
    : "two directions cannot keep who is near whom";
  return `${words}: ${why}.`;
}

/** Classes, beyond which no colour tells which is which. */
export const CROWD = 16;

const GROUPS = ["unseen", "seen"];
/** @type {Record<string, Record<string, string>>} */ const NAMES = {
  "all classes": { seen: "training images", unseen: "held-out images" },
  probe: { unseen: "your probe" },
  batch: { unseen: "the batch shown" },
  loops: { unseen: "the points of each loop" },
};

/** Whether a loop outside the app trains what is shown: its net may have been trained before, and it has no budget.
 * @param {Subject} subject */
export const elsewhere = (subject) => ["probe", "batch", "loops"].includes(subject.header.protocol);

/** What the two groups are in this run: classes, images where every class is trained on, or what a loop outside the app shows.
 * @param {Subject} subject @param {string} name */
export function groupName(subject, name) {
  return NAMES[subject.header.protocol]?.[name] ?? `${name} classes`;
}

/** The groups that have points in this run. @param {Subject} given */
export function groupsOf({ arrays: { unseen } }) {
  return GROUPS.filter((name) => unseen.includes(Number(name === "unseen")));
}

/** The same, as short as a legend wants it. @param {Subject} subject @param {string} name */
export function groupKey(subject, name) {
  return groupName(subject, name).replace(/ (classes|images)$/, "");
}

/** The ranked neighbours of point `i` in the frame shown, or in `near`, each with whether it is of the same class.
 * @param {{subject: Subject, frame: Frame | null}} shown @param {number | null} i @param {Packed | undefined} near
 * @returns {Neighbour[]} */
export function neighbours({ subject, frame }, i, near = frame?.arrays["0.near"]) {
  if (!near || i == null) return [];
  const k = near.shape[1];
  const { y } = subject.arrays;
  return Array.from(near.subarray(i * k, (i + 1) * k), (j) => ({ point: j, right: y[j] === y[i] }));
}
