/** What scripts of a page hang on its window and nodes: the libraries' own, and what our components share. */
interface Window {
  Plotly: any;
  dmlBase: string;
  dmlFeed: { url: string; step: number | null; message: Uint8Array };
  dmlPictures: Map<string, any>;
  dmlTray: any;
  dmlPlotly: Promise<any> | undefined;
  kaleido_scopes: any;
}
interface WindowEventMap {
  "dml-viz:feed": CustomEvent;
  "dml-viz:gradients": CustomEvent;
  "dml-viz:gradients-point": CustomEvent;
  "dml-viz:gradients-turn": CustomEvent;
  "dml-viz:point": CustomEvent;
  "dml-viz:proxies": CustomEvent;
}
interface HTMLElement {
  _fullData: any;
  _fullLayout: any;
  calcdata: any;
  data: any;
  layout: any;
  on(event: string, act: (event: any) => void): void;
}
interface Element {
  dataset: DOMStringMap;
  sheet?: CSSStyleSheet | null;
}
interface Node {
  data?: any;
}

/** An array of a message (dml_viz/data/wire.py). */
type Packed = (Float32Array | Uint8Array | Uint16Array | Int32Array) & { shape: number[] };
/** What the engine sends (contracts.d.ts): a small header, and arrays by name. */
interface Message<Header = EmbeddingsHeader> {
  header: Header;
  arrays: Record<string, Packed>;
}
/** What a run is of: its members, its classes and the images of the points that are watched. */
type Subject = Message<SubjectHeader>;
/** A step of a run as it is drawn. */
type Frame = Message<FrameHeader>;
/** A step of a run as it is drawn, or the news that there is none yet. */
type Reply = Message<FrameHeader | TickHeader>;
/** What Streamlit gives a component: its node on the page, its data, and how it reports. */
interface Given<Data> {
  parentElement: HTMLElement;
  data: Data;
  setStateValue(name: string, value: unknown): void;
  setTriggerValue(name: string, value: unknown): void;
}
/** A part of a live picture; those that are panels can be exported. */
interface Part {
  follows?: ("hover" | "turn")[];
  panel?: { root: HTMLElement; close(): void };
  draw(): void;
  open?(fresh: boolean): void;
  close?(): void;
}
