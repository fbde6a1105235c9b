/** How a picture is drawn in a file (dml_viz/figure_files/options.py): inches, points; null for the picture's own size. */
interface ExportOptions {
  width: number | null;
  height: number | null;
  font: string;
  points: number;
  line: number;
  palette: string;
  ground: string;
  letters: string;
  title: boolean;
  legend: boolean;
}
interface Size {
  width: number;
  height: number;
}
/** Lengths at the four sides of a picture, in px. */
type Sides = Record<string, number>;
/** What a picture is laid out in, in px: the least size of its letters, what is added to its margins, whether it is grey,
 * and the `colour` that it has in place of one on the page. */
interface ExportFrame {
  width: number;
  height?: number | null;
  family?: string;
  legend?: boolean;
  theme?: string;
  letters?: number;
  pad?: Sides;
  grey?: boolean;
  colour?: (text: string) => string;
}
/** A sign of a legend, `wide` px, and its words. */
interface KeyEntry {
  text: string;
  sign: (() => SVGElement) | null;
  wide?: number;
}
type Cell = string | number;
interface TableData {
  columns: string[];
  rows: Cell[][];
  notes?: string[];
}
/** What a picture says of itself: its recipe, words and legend; `first` is a chart as it was before it was zoomed. */
interface PictureAbout {
  palette: Palette;
  theme: string;
  words: string;
  recipe: Recipe;
  key?: KeyEntry[];
  table?: (() => TableData) | null;
  first?: PlotlyFigure;
}
/** What a file says of its picture. */
interface FileAbout {
  title: string;
  words: string;
  caption: string;
  recipe: string;
}
/** A font that ships with the app: its files, and what has been read of them. */
interface FontFile {
  name: string;
  weight: string;
  slant: string;
  file: string;
  bytes?: Uint8Array<ArrayBuffer>;
  outlines?: string;
  source?: string;
}
/** The scale of words, that of the drawing's height, and what the margins are widened by. */
type LayoutTry = [words: number, higher: number, pad?: Sides];
/** A picture drawn for a file, out of sight in the document. */
interface Engraving {
  svg: SVGSVGElement;
  inches: Size;
  faces: FontFile[];
  notes: string[];
  range: number[] | null;
  like: LayoutTry | null;
  close(): void;
}
/** A format of files as Python declares it (dml_viz/figure_files/formats). */
interface FileFormat {
  name?: string;
  label?: string;
  note?: string;
  writer: string;
  type: string;
  scales?: number[];
  drawn?: boolean;
  companion?: string;
  separator?: string;
}
interface FilmSettings extends Partial<Size> {
  seconds?: number;
  progress?(done: number, of: number): void;
  signal?: AbortSignal;
}
/** What a maker of files says of one: the sizes of its words, and notes. */
interface FileRemarks {
  words?: string;
  notes?: string[];
}
interface Letter {
  letter: string;
  index: number;
}
/** Letters of one look in a text. */
interface TextRun {
  parent: Element;
  style: CSSStyleDeclaration;
  letters: Letter[];
}
/** Words of a line of a sheet. */
interface SheetWords {
  text: string;
  colour?: string;
  bold?: boolean;
}
type SheetLine = SheetWords | SheetWords[];
interface SheetDrawing extends Size {
  node(family: string): SVGElement;
}
/** A cell of a sheet: words above and below drawings, and brief ones for where room is short. */
interface SheetCell {
  head?: SheetWords[];
  drawings: SheetDrawing[];
  lines?: SheetLine[];
  brief?: SheetLine[] | null;
}
/** The common measures of a sheet's cells. */
interface SheetShape {
  many: number;
  head: number;
  lines: number;
  share: number;
}
/** How the cells of a sheet may lie. */
interface SheetLayout {
  cells: SheetCell[];
  shape: SheetShape;
  columns: number;
}
/** Cells of one kind as they are now: the width on the page, the least and greatest width of one, how many are in a row. */
interface Sheet {
  width: number;
  least: number;
  most?: number;
  columns?: number;
  worded?: boolean;
  cells(frame: ExportFrame): SheetCell[];
}
/** The channels of a colour: red, green, blue of 255, and opacity. */
type Channels = number[];
/** Panels above each other: shares of the height, and px. */
interface PanelRow {
  low: number;
  high: number;
  tall: number;
  gap: number;
}
/** What can be exported (export/pictures.js): `draw` gives SVG nodes in a frame, `heightAt` its best height in one of that width. */
interface AnyPicture {
  name: string;
  about(): PictureAbout;
  size(): Size;
  recipe(): Recipe;
  table(): TableData;
  chart(): PlotlyFigure | null;
  seen(): PlotlyFigure | null;
  draw?(frame: ExportFrame): Promise<Element[]>;
  heightAt?(frame: ExportFrame): number;
  leastAt?(frame: ExportFrame): number;
  renderForExport?(options: ExportOptions): Promise<Engraving>;
  isDrawn: (() => unknown) | null;
  hold: (() => void) | null;
  ready: (() => Promise<unknown>) | null;
  moving: MovingPicture | null;
  flexible: boolean;
  paper: { paper: string; ink: string };
  pixels?: boolean;
  notes?: string[];
}
type ExportMenu = import("../src/export/menu.js").ExportMenu;
/** The script of a component. */
interface ComponentModule {
  mount(given: Given<unknown>): unknown;
  unmount(host: HTMLElement): void;
}
/** What a headless browser is asked for: a picture, its format and options, and the address of the app. */
interface FileRequest extends PictureRequest {
  format: FileFormat;
  options: ExportOptions | null;
  scale: number;
  base: string;
  film: FilmSettings;
}
/** What the library that writes PDF gives. */
interface PdfFont {
  characterToGlyph(code: number): number;
  widthOfGlyph(glyph: number): number;
}
interface PdfFile {
  internal: {
    events: { subscribe(event: string, act: (page: { objId: number }) => void): void };
    newObject(): number;
    write(...lines: string[]): void;
  };
}
interface PathCommand extends Record<string, number | string> {
  type: string;
}
interface OutlineFont {
  charToGlyphIndex(letter: string): number;
  charToGlyph(letter: string): { getPath(x: number, y: number, size: number): { commands: PathCommand[] } };
}
interface MovieOutput {
  addVideoTrack(source: MovieSource): void;
  start(): Promise<void>;
  cancel(): Promise<void>;
  finalize(): Promise<void>;
  target: { buffer: ArrayBuffer };
}
interface MovieSource {
  add(time: number, duration: number): Promise<void>;
}
/** What the library that encodes moving pictures gives. */
interface MovieLibrary {
  getFirstEncodableVideoCodec(codecs: string[], size: Size): Promise<string | null>;
  Mp4OutputFormat: new () => object;
  WebMOutputFormat: new () => object;
  BufferTarget: new () => object;
  Output: new (options: object) => MovieOutput;
  CanvasSource: new (canvas: HTMLCanvasElement, options: object) => MovieSource;
  QUALITY_MEDIUM: unknown;
  GIFEncoder(): { writeFrame(...frame: unknown[]): void; finish(): void; bytes(): Uint8Array<ArrayBuffer> };
  applyPalette(data: Uint8ClampedArray, palette: unknown): unknown;
  quantize(data: Uint8ClampedArray, colours: number): unknown;
}
/** A film while it is made; one that is given up is cancelled. */
interface FilmWriter {
  add(k: number): Promise<void>;
  end(recipe: string): Promise<Uint8Array<ArrayBuffer>>;
  cancel?(): Promise<void>;
}
/** The steps that a film of a picture goes through; `show` is kept when that step is drawn. */
interface MovingPicture {
  steps(): number[];
  now(): number;
  show(step: number): Promise<unknown>;
}
/** A panel of a live picture that can be exported: a chart, a drawing or a sheet of drawings. */
interface LivePart extends Part {
  chart?: import("../src/plot/chart.js").Chart & { svg?: SVGSVGElement };
  svg?: SVGSVGElement;
  sheet?(): Sheet;
  pixels?: boolean;
  ready?: boolean;
  size?: number;
  at?(width: number, height: number): () => void;
  words?(): string;
  key?(): KeyEntry[];
  table?(): TableData;
  settled?(): Promise<void>;
  exact?: boolean;
}
/** A board with what its export needs. */
type PanelBoard = Board<PanelsData | FlowData> & { moving?: MovingPicture; signs?: KeyEntry[]; settled?: boolean };
/** What the dialog for a picture has besides: more controls, the options that it begins with, and who is told of others. */
type DialogSettings = {
  more?: [string, HTMLElement][];
  options?: ExportOptions | null;
  changed?: (options: ExportOptions) => void;
};
/** What a maker of a file is given: the drawing on demand, and what the file says of itself. */
type WriterJob = {
  drawing(): Promise<Engraving>;
  about: FileAbout;
  picture: AnyPicture;
  format: FileFormat;
  scale: number;
  film: FilmSettings;
};
/** What a chart is laid out in: the height and the colour of its page, too. */
type FitFrame = ExportFrame & { tall?: number; paper?: string };
/** What small multiples are laid out in. */
type TileFrame = Size & { size: number; family?: string };
/** The style by which a face is chosen. */
type FontStyle = Pick<CSSStyleDeclaration, "fontFamily" | "fontWeight" | "fontStyle">;
/** What a page shows: a chart with its library, or a drawing. */
type HtmlContent = { figure?: PlotlyFigure | null; library?: string; svg?: string };
/** Letters of one look, where the browser has them. */
type PlacedRun = Omit<TextRun, "letters"> & { words: string; x: number; y: number; end: number };
/** A word with the corners of its shape. */
type WordShape = { node: SVGTextElement; corners: Place[] };
/** A loss of a recipe. */
type LossOfRecipe = { name: string; title: string; knobs: Record<string, unknown> };
/** The edited scene as it is seen. */
type EditedScene = {
  state: SceneState;
  look: Look;
  gradients: Record<string, LossGradient | null>;
  data: SceneData;
  words: string;
  ready: boolean;
};
/** A drawing that notes whether it has been painted. */
/** Where points and proxies are. */
type SceneRows = { dim: number; y: ArrayLike<number>; z: Float64Array; proxies?: Float64Array | null };
/** Where a cell of a sheet is, and how its words look. */
type CellPlace = { x: number; y: number; size: number; room: number; family: string; ink: string; letters: number };
/** The entries of a row of a key, with their places. */
type KeyRow = { text: string; sign: (() => SVGElement) | null; aside: number; x: number }[];
/** Makes a film of what is drawn on the canvas: a picture lasts `each` seconds. */
type FilmMaker = (library: MovieLibrary, name: string, canvas: HTMLCanvasElement, each: number) => Promise<FilmWriter>;
