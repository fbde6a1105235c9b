import { Group, relabelled } from "../runs/group.js";

const SPAN = 500; // numbers of points on each of the data; a run watches at most as many

/** The desk of racer `k`, with that racer's images, classes and dimension, which others may share. Points
 * of the second data are numbered from 500 on, so that what is pointed at in one picture is no point in another one's images. */
export class RacerDesk {
  /** @param {RunDesk} desk @param {number} k */ constructor(desk, k) {
    this.desk = desk;
    const { subject, group } = desk;
    const { data = 0, dim = desk.dim } = subject.header.members[k];
    this.first = SPAN * data;
    this.labels = desk.frame?.arrays[`${k}.y`]; // where each frame shows other points
    this.subject = relabelled(data ? watched(subject, data) : subject, desk.frame, k);
    this.group = this.subject === subject ? group : new Group(this.subject, group.name);
    if (!this.group.points.length) this.group = new Group(this.subject, group.name === "seen" ? "unseen" : "seen");
    this.dim = dim;
    this.solid = dim === 3;
    this.flat = dim > 3;
  }

  get hovered() {
    return this.#own(this.desk.hovered);
  }

  get query() {
    return this.#own(this.desk.query);
  }

  /** @param {number | null} point */ hover(point) {
    this.desk.hover(point == null ? null : this.first + point);
  }

  /** @param {number} point */ select(point) {
    this.desk.select(this.first + point);
  }

  /** The point that comes `by` places after the one pointed at or chosen in its group. @param {number} by */
  step(by) {
    const { points } = this.group;
    const at = points.indexOf(this.hovered ?? this.query ?? points[0]);
    return points[(at + by + points.length) % points.length];
  }

  /** @param {number | null} point */ #own(point) {
    const own = point == null ? -1 : point - this.first;
    return own >= 0 && own < this.subject.arrays.y.length ? own : null;
  }
}

/** @param {Subject} subject @param {number} data @returns {Subject} */
function watched({ header, arrays }, data) {
  const mark = `data${data}.`;
  const own = Object.entries(arrays).filter(([name]) => name.startsWith(mark));
  return {
    header: { ...header, ...header.data[data - 1] },
    arrays: Object.fromEntries(own.map(([name, array]) => [name.slice(mark.length), array])),
  };
}
