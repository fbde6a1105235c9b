/** What scripts of a page hang on its window and nodes: the libraries' own, and what our components share. */
interface Window {
  Plotly: any;
  dmlBase: string;
  dmlFeed: { url: string; step: number | null; message: Uint8Array };
  dmlPictures: Map<string, any>;
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
