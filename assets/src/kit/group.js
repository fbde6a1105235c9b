/** The evaluated points of one group, "unseen" or "seen" classes: who they are and how they fall into classes. */
export class Group {
  constructor(subject, name) {
    const { y, unseen } = subject.arrays;
    this.name = name;
    this.points = [];
    for (let i = 0; i < y.length; i += 1) if (Boolean(unseen[i]) === (name === "unseen")) this.points.push(i);
    this.classes = [...new Set(this.points.map((i) => y[i]))].sort((a, b) => a - b);
    this.members = this.classes.map((c) => this.points.filter((i) => y[i] === c));
  }

  has(i) {
    return this.points.includes(i);
  }
}

const HELD_OUT = { seen: "training images", unseen: "held-out images" };

/** What the two groups are in this run: classes, or, where every class is trained on, images. */
export function groupName(subject, name) {
  return subject.header.protocol === "all classes" ? HELD_OUT[name] : `${name} classes`;
}

/** The same, as short as a legend wants it. */
export function groupKey(subject, name) {
  return groupName(subject, name).replace(/ (classes|images)$/, "");
}

/** The ranked neighbours of point `i`, each with whether it is of the same class. */
export function neighbours({ subject, frame }, i) {
  const near = frame.arrays["0.near"];
  if (!near || i == null) return [];
  const k = near.shape[1];
  const { y } = subject.arrays;
  return Array.from(near.subarray(i * k, (i + 1) * k), (j) => ({ point: j, right: y[j] === y[i] }));
}
