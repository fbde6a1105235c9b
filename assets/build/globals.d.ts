/** What scripts of a page hang on its window and nodes: the libraries' own, and what our components share. */
interface Window {
  Plotly: PlotlyLibrary;
  dmlBase: string;
  dmlFeed: Fed;
  dmlPictures: Map<string, AnyPicture>;
  dmlTray: TrayData;
  dmlPlotly: Promise<PlotlyLibrary> | undefined;
  kaleido_scopes: Record<string, (call: { data: { request: FileRequest } }) => Promise<object>>;
}
interface SVGElement {
  /** Whether it is an image in files, too. */
  dmlStays?: boolean;
}
/** A node of the page that Streamlit gives a component, with what `mount` makes of it. */
interface Host extends HTMLElement {
  dmlFault?: HTMLElement | null;
  dmlShown?: Component | null;
  dmlOpening?: Promise<void> | null;
  dmlOpened?: boolean | null;
  dmlLibrary?: PlotlyLibrary | null;
  dmlNewest?: Given<unknown>;
}
/** What a component draws in its node. */
interface Component {
  update(given: Given<unknown>): void;
  close?(): void;
}
interface Element {
  dataset: DOMStringMap;
  sheet?: CSSStyleSheet | null;
}

/** An array of a message (dml_viz/data/wire.py). */
type Packed = TypedArray & { shape: number[] };
type TypedArray = Float32Array | Uint8Array | Uint16Array | Int32Array;
/** Type, shape and offset of the arrays of a message. */
type PackedTable = Record<string, [string, number[], number]>;
/** The header of any message, before its kind is looked at. */
type AnyHeader = SubjectHeader | FrameHeader | TickHeader | EmbeddingsHeader | PointsHeader;
/** What the engine sends (contracts.d.ts): a small header, and arrays by name. */
interface Message<Header = object> {
  header: Header;
  arrays: Record<string, Packed>;
}
/** What a run is of: its members, its classes and the images of the points that are watched. */
type Subject = Message<SubjectHeader>;
/** A step of a run as it is drawn. */
type Frame = Message<FrameHeader>;
/** A step of a run as it is drawn, or the news that there is none yet. */
type Reply = Frame | Message<TickHeader>;
/** What Streamlit gives a component: its node on the page, its data, and how it reports. */
interface Given<Data> {
  parentElement: HTMLElement;
  data: Data;
  setStateValue(name: string, value: unknown): void;
  setTriggerValue(name: string, value: unknown): void;
}
/** What a node is given by `element`: attributes, and functions that listen. */
interface Attributes {
  onclick?(event: MouseEvent): unknown;
  onkeydown?(event: KeyboardEvent): unknown;
  onfocus?(event: FocusEvent): unknown;
  oninput?(event: Event): unknown;
  onchange?(event: Event): unknown;
  onpointerdown?(event: PointerEvent): unknown;
  ondragstart?(event: DragEvent): unknown;
  ondragover?(event: DragEvent): unknown;
  ondrop?(event: DragEvent): unknown;
  [name: string]: string | number | boolean | null | undefined | ((event: never) => unknown);
}
/** Attributes of an SVG node. */
type Drawing = Record<string, string | number>;
/** Colours of one theme, with the colour and marker of each class. */
type Look = ReturnType<typeof import("../src/draw/look.js").look>;
/** A row of numbers. */
type Numbers = number[] | Float32Array | Float64Array | Uint8Array | Uint16Array | Int32Array;
/** A point, in units or in px. */
interface Place {
  x: number;
  y: number;
}
/** Points by their coordinates, in units or in px; `front` is 0 on the far side of a sphere. */
interface Places {
  x: Numbers;
  y: Numbers;
  front?: ArrayLike<number> | null;
}
/** A message of the run at `url` that came with Streamlit's own, the step that was asked for, and the points that were. */
interface Fed {
  url: string;
  step: number | null;
  message: Uint8Array;
  points?: Uint8Array;
}
/** A slider of the page while it is moved: the key of its setting, its value, and the mark that it shows. */
interface SliderMove {
  slider: string;
  value: string;
  mark: string;
}
/** What shows the page's colours: its node on the page, and the node that has them. */
interface Themed {
  host: Element;
  root: HTMLElement;
  look?: Look;
  appliedTheme?: string;
}
/** A point near another one, and whether it is of the same class. */
interface Neighbour {
  point: number;
  right: boolean;
}
/** The state of a live picture, and what it knows of its run, for the folders below live/. */
type RunDesk = import("../src/live/desk.js").Desk;
type RunHistory = import("../src/live/history.js").History;
/** Value and gradient of a loss at a scene, as losses.js gives them. */
type LossGradient = ReturnType<typeof import("../src/losses/autodiff.js").gradient>;
type LossGradientOf = (
  loss: string,
  scene: import("../src/losses/autodiff.js").LossScene,
  knobs: Record<string, unknown>,
) => LossGradient;
/** A scene as overlays draw it: its rows one after the other, and its classes. */
interface OverlayScene {
  dim: number;
  n: number;
  z: Float64Array;
  y: Int32Array;
  proxies: Float64Array | null;
  classes: number;
}
/** What the editor shows in a frame: the scene, what the page says of it, and the gradients of its losses. */
interface SceneSeen<Settings> {
  scene: OverlayScene;
  settings: Settings;
  losses: Record<string, SceneLoss>;
  picked: number[];
  state: import("../src/scene/state.js").State;
  gradients: Record<string, LossGradient | null>;
  gradient: LossGradientOf | null;
}
/** The picture of a scene, with which overlays draw. */
type SceneTools = import("../src/scene/stage.js").Stage;
/** Whatever Python's code of a page handles once it is translated (src/rooms): its types are checked in Python, by mypy. */
type FromPython = ReturnType<typeof JSON.parse>;
/** What code of a loss handles that was Python: numbers, also on the tape of gradients, texts, lists and dicts of them. */
type PythonValue =
  | import("../src/losses/autodiff.js").Scalar
  | string
  | boolean
  | null
  | undefined
  | import("../src/losses/python.js").Dict
  | PythonValue[];
/** A part of a live picture; those that are panels can be exported. */
interface Part {
  follows?: string[];
  root?: HTMLElement;
  panel?: import("../src/draw/panel.js").Panel;
  draw(): void;
  open?(fresh: boolean): void;
  close?(): void;
}
