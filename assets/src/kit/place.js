/** Where a pointer event lies in a node, in the node's own pixels, however large it is shown; and the pixels of the node's box. */
export function within(node, { clientX, clientY }) {
  const { left, top, width } = node.getBoundingClientRect();
  const times = node.clientWidth ? width / node.clientWidth : 1;
  return [(clientX - left) / times, (clientY - top) / times];
}
