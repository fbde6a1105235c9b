// Which points and proxies fit a role, as in dml_viz/embedding/roles.py. The first role leads: a positive is another point of its
// class, a negative a point of another class; the role "proxy" is for a proxy, any other role for a point.

export const UNSET = -1;

/** For each role the index wanted, or the first that fits where that one does not; -1 where none fits.
 * @param {number[]} wanted @param {string[]} roles @param {Scene} scene */
export function settle(wanted, roles, scene) {
  /** @type {number[]} */ const picked = [];
  roles.forEach((role, place) => {
    const { length } = role === "proxy" ? scene.proxies : scene.points;
    const fit = [...Array(length).keys()].filter((i) => fits(i, role, roles, picked, scene));
    picked.push(fit.includes(wanted[place]) ? wanted[place] : (fit[0] ?? UNSET));
  });
  return picked;
}

/** The roles after a click on point or proxy `index` while role `place` is given away, and the place of the next.
 * @param {{picked: number[], place: number}} state @param {{index: number, proxy: boolean}} handle @param {string[]} roles
 * @param {Scene} scene */
export function pick({ picked, place }, { index, proxy }, roles, scene) {
  /** @param {number} at */
  const can = (at) => (roles[at] === "proxy") === proxy && fits(index, roles[at], roles, picked.slice(0, 1), scene);
  const at = can(place) ? place : roles.findIndex((_, other) => other > 0 && can(other));
  if (at < 0) return { picked, place };
  const wanted = picked.map((who, other) => (other === at ? index : who));
  return { picked: settle(wanted, roles, scene), place: (at + 1) % roles.length };
}

/** @param {number} index @param {string} role @param {string[]} roles @param {number[]} picked @param {Scene} scene */
function fits(index, role, roles, picked, { labels }) {
  if ((role !== "positive" && role !== "negative") || !picked.length || picked[0] === UNSET) return true;
  const ledByProxy = roles[0] === "proxy";
  const label = ledByProxy ? picked[0] : labels[picked[0]];
  if (role === "negative") return labels[index] !== label;
  return labels[index] === label && (ledByProxy || index !== picked[0]);
}
