/** The evaluated points of one group, "unseen" or "seen" classes, and their classes. */
export class Group {
  /** @param {Subject} subject @param {string} name */
  constructor(subject, name, colouring = "class") {
    const { y, unseen, sets } = subject.arrays;
    this.name = name;
    /** @type {number[]} */ this.points = [];
    for (let i = 0; i < y.length; i += 1) if (Boolean(unseen[i]) === (name === "unseen")) this.points.push(i);
    this.classes = [...new Set(this.points.map((i) => y[i]))].sort((a, b) => a - b);
    this.members = this.classes.map((c) => this.points.filter((i) => y[i] === c));
    // What shares a colour: a class, or all images of a set.
    const bySet = colouring === "set" && sets;
    this.kinds = bySet ? [...new Set(this.points.map((i) => sets[i]))].sort((a, b) => a - b) : this.classes;
    this.drawn = bySet ? this.kinds.map((k) => this.points.filter((i) => sets[i] === k)) : this.members;
    this.kindOf = bySet ? sets : y;
    this.kindNames = bySet ? subject.header.sets : subject.header.classes;
  }

  /** @param {number} i */ has(i) {
    return this.points.includes(i);
  }
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

/** The point drawn nearest to each of `points` among them, with places `x` and `y` of all points; the point itself where it is
 * alone.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>}} places @param {number[]} points */
export function nearestOf({ x, y }, points) {
  return points.map((i) => {
    let [nearest, least] = [i, Infinity];
    for (const j of points) {
      const apart = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2;
      if (j !== i && apart < least) [nearest, least] = [j, apart];
    }
    return nearest;
  });
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
