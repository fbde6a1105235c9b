/** What the scripts use of Plotly: the library, its figures, and of a drawn chart also what is its own. */
interface PlotlyLibrary {
  newPlot(node: HTMLElement, data: Trace[], layout: Layout, config?: object): Promise<unknown>;
  react(node: HTMLElement, data: Trace[], layout: Layout, config?: object): Promise<unknown>;
  relayout(node: HTMLElement, change: Record<string, unknown>): Promise<unknown>;
  toImage(figure: unknown, options: object): Promise<string>;
  purge(node: HTMLElement): void;
  Plots: { resize(node: HTMLElement): Promise<unknown> };
  Fx: {
    hover(node: HTMLElement, points: object[], subplots: string[], without: boolean): void;
    unhover(node: HTMLElement): void;
  };
}
interface TraceLine {
  color?: string;
  width?: number;
  dash?: string;
  shape?: string;
  simplify?: boolean;
}
interface TraceMarker {
  color?: string | string[];
  symbol?: string | string[];
  size?: number;
  opacity?: number;
  line?: TraceLine;
}
/** A trace of a figure. */
interface Trace {
  type?: string;
  mode?: string;
  name?: string;
  x?: Numbers | string[];
  y?: Numbers | string[];
  text?: string | string[];
  customdata?: unknown[];
  xaxis?: string;
  yaxis?: string;
  line?: TraceLine;
  marker?: TraceMarker;
  hoverinfo?: string;
  hovertemplate?: string;
  cliponaxis?: boolean;
  opacity?: number;
  fill?: string;
  fillcolor?: string;
  textposition?: string;
  orientation?: string;
  visible?: boolean | string;
  z?: Numbers[];
  /** What a table says of each cell, where it is coloured by another number. */
  meta?: { values?: (number | null)[][] };
  colorscale?: string | [number, string][];
  zmin?: number;
  zmax?: number;
  showscale?: boolean;
  texttemplate?: string;
  textfont?: { size?: number };
  constraintext?: string;
}
/** Words or a shape over a figure. */
interface Annotation {
  x?: number;
  y?: number;
  x0?: number;
  x1?: number;
  y0?: number;
  y1?: number;
  xref?: string;
  yref?: string;
  xanchor?: string;
  yanchor?: string;
  xshift?: number;
  yshift?: number;
  text?: string;
  showarrow?: boolean;
  textangle?: number;
  bgcolor?: string;
  font?: { size?: number; color?: string; family?: string };
}
/** An axis of a layout. */
interface Axis {
  title?: { text?: string; standoff?: number; font?: { size?: number; color?: string } };
  range?: number[];
  domain?: number[];
  anchor?: string;
  matches?: string;
  automargin?: boolean;
  categoryarray?: string[];
  dtick?: number;
  nticks?: number;
  tickvals?: number[];
  ticktext?: string[];
  showticklabels?: boolean;
  type?: string;
  visible?: boolean;
  tickformat?: string;
  zeroline?: boolean;
  showline?: boolean;
  ticks?: string;
  ticklen?: number;
  tickcolor?: string;
  tickfont?: object;
  gridcolor?: string;
  layer?: string;
  scaleanchor?: string;
  constrain?: string;
  overlaying?: string;
  tickmode?: string;
  autorange?: boolean;
  uirevision?: string;
}
/** An axis as `axis` of plot/layout.js is told of it, with its title as words. */
type AxisWords = Omit<Axis, "title"> & { title?: string };
type AxisName = "xaxis" | "yaxis" | `xaxis${number}` | `yaxis${number}`;
interface Margin {
  l?: number;
  r?: number;
  t?: number;
  b?: number;
}
/** The bins at which a figure dims points (plot/light.js). */
interface BinLight {
  by: number[];
  points: { trace: number; low: number[]; high: number[] }[];
}
/** How small multiples on one pair of axes lie: distances from panel to panel, and from a panel's middle to the top of its row. */
interface Tiles {
  across: number;
  down: number;
  top: number;
  columns: number;
  many: number;
}
/** The layout of a figure; axes are known by their names. */
interface Layout {
  width?: number;
  barmode?: string;
  template?: { layout?: Layout };
  height?: number;
  margin?: Margin;
  annotations?: Annotation[];
  shapes?: Annotation[];
  images?: object[];
  paper_bgcolor?: string;
  plot_bgcolor?: string;
  showlegend?: boolean;
  autosize?: boolean;
  font?: { size?: number; family?: string; color?: string };
  hoverlabel?: object;
  hovermode?: string | boolean;
  dragmode?: string | boolean;
  uirevision?: number | string;
  modebar?: object;
  meta?: { alt?: string; light?: BinLight; square?: boolean; margin?: Margin; tiles?: Tiles };
  xaxis?: Axis;
  yaxis?: Axis;
  [more: `xaxis${number}` | `yaxis${number}`]: Axis;
}
interface PlotlyFigure {
  data: Trace[];
  layout: Layout;
}
/** An axis of a drawn chart: its place in px, and how data become px. */
interface DrawnAxis extends Axis {
  _offset: number;
  _length: number;
  c2p(value: number): number;
  p2c(pixel: number): number;
}
/** A trace of a drawn chart. */
interface DrawnTrace extends Trace {
  visible?: boolean | string;
  _module: { plot(node: HTMLElement, box: DrawnBox, points: DrawnPoint[][], layer: unknown, transition: object): void };
}
/** The axes of a drawn chart with what is drawn between them. */
interface DrawnBox {
  xaxis: DrawnAxis;
  yaxis: DrawnAxis;
  plot: { selectAll(selector: string): unknown };
}
/** A point of a drawn trace; the first one of a trace has the trace and its node. */
interface DrawnPoint extends Partial<Place> {
  i?: number;
  tx?: string;
  sign?: string;
  trace?: DrawnTrace & { index: number };
  node3?: { style(name: string, value: number): void; node(): Element };
}
/** A point that the pointer is on. */
interface HoveredPoint {
  data: Trace;
  customdata: unknown;
  curveNumber: number;
  pointNumber: number;
}
/** The node of a drawn chart. */
interface ChartNode extends HTMLDivElement {
  data: Trace[];
  layout: Layout;
  calcdata: DrawnPoint[][];
  _fullData: DrawnTrace[];
  _fullLayout: Layout & {
    xaxis: DrawnAxis;
    yaxis: DrawnAxis;
    _size: Record<"l" | "r" | "t" | "b", number>;
    _plots: Record<string, DrawnBox>;
  };
  on(event: "plotly_hover", act: (event: { points: HoveredPoint[] }) => void): void;
  on(event: "plotly_click", act: (event: { points: HoveredPoint[]; event: MouseEvent }) => void): void;
  on(event: "plotly_relayout", act: (change: Record<string, unknown>) => void): void;
  on(event: "plotly_unhover" | "plotly_doubleclick" | "plotly_afterplot", act: () => void): void;
}
