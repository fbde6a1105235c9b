/** Whether points have images. */
export const pictured = (subject) => subject.arrays.images.length > 0;

/** What one of the points is called. */
export const noun = (subject) => (pictured(subject) ? "image" : "point");

/** Paints an evaluated image on a canvas, from paper (0) to ink (255), unless it is there already; hides it without images. */
export function paint(canvas, subject, point, look) {
  canvas.hidden = !pictured(subject);
  if (canvas.hidden) return;
  const [, height, width] = subject.arrays.images.shape;
  const content = `${subject.header.run}:${point}:${look.theme}`;
  if (canvas.dmlShown === content) return;
  canvas.dmlShown = content;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pixels = new ImageData(width, height);
  const image = subject.arrays.images.subarray(point * width * height, (point + 1) * width * height);
  image.forEach((value, k) => pixels.data.set([...look.grey[value], 255], 4 * k));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}
