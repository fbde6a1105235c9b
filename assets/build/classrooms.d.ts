/** How a point is dragged: the points of a scene (degrees, class), the one that is dragged, the answer, which is locked, and the way
 * that is revealed; `cloud` are guesses of each vote, in degrees, and a picture `without` a hand is looked at alone. */
interface PointDragData {
  points: [number, number][];
  point: number;
  answer: number | null;
  way: number[] | null;
  cloud?: number[][];
  without?: boolean;
  fixed?: boolean;
}
/** What a teacher does to a question. */
type Action = "open" | ActionMessage["type"];
