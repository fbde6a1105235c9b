/** The namespace of SVG. */
export const SVG = "http://www.w3.org/2000/svg";

/** An SVG node with attributes and children. */
export function svgNode(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
