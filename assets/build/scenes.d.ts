/** Classes of our drawings, for those that are given one. */
type Camera = import("../src/draw/sphere.js").Camera;
type Pen = import("../src/draw/svg.js").Pen;
type Group = import("../src/runs/group.js").Group;
type Reports = import("../src/live/report.js").Reports;
type RaceField = import("../src/race/field.js").RaceField;
type SceneState = import("../src/scene/state.js").State;
type SceneOverlay<Seen> = import("../src/scene/overlays/overlay.js").SceneOverlay<Seen>;
type SmallPanel = import("../src/gradients/panel.js").SmallPanel;
type Board<Header extends PanelsData | FlowData> = import("../src/gradients/board.js").Board<Header>;
/** Why there is no answer of a live stream: `kind` names it, `words` is the server's text. */
type StreamError = Error & { kind?: string; words?: string };
/** Where a pointer is, in px of the window. */
interface Spot {
  clientX: number;
  clientY: number;
}
/** Where rows are seen, in units. */
interface SeenRows {
  x: Numbers;
  y: Numbers;
  front: Uint8Array;
}
/** Mean, least, greatest and standard deviation of a metric over the seeds of a racer. */
type Spread = ReturnType<typeof import("../src/race/data.js").spread>;
/** A measured point of a racer's line, in px: itself, its highest and its lowest seed as text, and the lines at its place. */
interface Measured {
  x: number;
  y: number;
  line: string;
  top?: string;
  foot?: string;
  among?: number[] | null;
}

/** Points and proxies at places in degrees, [angle] or [longitude, latitude], and the points' classes. */
interface Scene {
  dim: number;
  points: number[][];
  labels: number[];
  proxies: number[][];
}
/** What can be gone back to. */
interface Standing {
  scene: Scene;
  base: string;
  picked: number[];
}
/** Where a point is drawn, and whether beside its place. */
type HandleAt = Place & { front: boolean; aside: boolean };
/** The nodes of a handle. */
interface Handle {
  group: SVGGElement;
  target: SVGCircleElement;
  halo: SVGCircleElement;
  ring: SVGCircleElement;
  shape: SVGPathElement;
}
/** The boundary of a cap before and behind, and what it encloses. */
interface Cap {
  front: string;
  back: string;
  area?: string;
  edge?: string;
}
interface ProxyScene {
  n: number;
  dim: number;
  z: Float64Array;
  y: Int32Array;
  proxies: Float64Array;
}
interface ProxyGradient {
  value: number;
  weights: Float64Array;
  z: Float64Array;
  proxies: Float64Array;
}
/** What a loss of proxies does at a scene (scene/overlays/proxies_side.js). */
type ProxySide = ProxyGradient & { pull: number; push: number; unit: number; count: number; asks: string };
/** What the second view draws: what the scene's overlay sees, Proxy-Anchor's side of it, the camera, and the picture. */
interface ProxiesFrame {
  seen: SceneSeen<ProxiesOverlay>;
  side: ProxySide;
  camera: Camera;
  picture: SVGElement;
}
/** What presses and picks a point of the scene from another picture: an event of that picture is `seen` at a place of the scene's. */
interface Hands {
  press(point: number | null, event: PointerEvent, seen?: (event: PointerEvent) => Spot): void;
  pick(point: number): void;
}

/** What a loss does at a scene, with the scene. */
type LossResponse = ReturnType<typeof import("../src/gradients/numbers.js").response> & {
  scene: OverlayScene;
  others: Float64Array;
  rows: number;
};
/** What the scene's overlay has found, and the scene's own picture. */
interface LiveGradients extends Hands {
  scene: OverlayScene;
  picked: number[];
  names: string[];
  found: Record<string, LossResponse>;
  camera: Camera;
  outline: SVGElement;
  seen: boolean; // whether a board in sight draws it, as that board says
}
/** What a panel of a loss draws. */
interface PanelContent {
  name: string;
  title?: string;
  note?: string;
  ms?: number;
  value: number;
  norm: number;
  points: number[];
  pairs: number[] | null;
  radial: number;
  shown: number;
  dim: number;
  n: number;
  z: Numbers;
  y: Numbers;
  circle: boolean;
  zoom: number;
  middle: number[] | null;
  part: string;
  arrows: Numbers;
  lengths: Numbers;
  proxies: Numbers;
  owners: number[];
  partners: (point: number) => [number, number][];
  edges: () => [number, number, number][];
}
/** What a panel of a flow draws: the points at a step, and the whole flow. */
type FlowContent = LossFlow & {
  flow: { points: Float32Array; proxies: Float32Array; curve: (name: string) => Numbers };
  curve: (name: string) => Numbers;
  n: number;
  dim: number;
  step: number;
  steps: number;
  y: Numbers;
  z: Float32Array;
  zoom?: number;
};
type BoardContent = PanelContent | FlowContent;
interface PanelKind {
  new (): SmallPanel;
  below?: number;
}
/** How a board is drawn: from where, in which colours, with which point lit; `reach` is the radius of a picture. */
interface GridFrame {
  camera: Camera | null;
  look: Look;
  draw?: string;
  lit: number | null;
  names: string[];
  reach?: number;
  round?: boolean;
  passing?: boolean;
}
/** How each of its panels is drawn. */
interface PanelFrame extends GridFrame {
  size: number;
  unit: number;
  bare: boolean;
  shared: (content: BoardContent) => SeenRows;
}
/** A frame in which points are drawn: px, pixels of a px, where the origin is (px), px of a unit, and the size of a point. */
interface PointsFrame extends Size {
  sharp: number;
  camera: import("../src/draw/sphere.js").Camera | null;
  left: number;
  top: number;
  unit: number;
  size: number;
}
