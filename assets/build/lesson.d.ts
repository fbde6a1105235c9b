/** What a lesson's file holds (dml_viz/lesson_file): its stations, and the address of the app that it is of, if that is known. */
interface LessonData {
  title: string;
  about: string;
  saved: string;
  base: string;
  whole: boolean;
  licences: string;
  stations: LessonStation[];
}
/** A state of a page: a scene that is dragged, or a run that is played, with its sentences and its question. */
interface LessonStation {
  title: string;
  text: string;
  page: string;
  name: string;
  link: string;
  scene: LessonScene | null;
  run: LiveData | null;
  notes: LessonNotes;
  question: LessonQuestion | null;
  figures: FrozenFigure[];
}
/** The scene of a station, that which an answer reveals, what stands beside it, and the settings of its link. */
interface LessonScene {
  data: SceneData;
  after: Pick<SceneData, "scene" | "base" | "picked" | "view" | "losses" | "settings"> | null;
  panels: PanelsData | null;
  twin: SecondViewData | null;
  settings: Record<string, string>;
  afterSettings: Record<string, string> | null;
  locked: string[];
  hidden: string[];
}
/** Sentences as they were when the file was written, for what the file does not compute. */
interface LessonNotes {
  claim: string;
  lead: string;
  lookFor: string;
  misleads: string;
  line: string;
  formulas: LessonFormula[];
}
interface LessonFormula {
  lines: string[];
  remark: string;
}
/** A figure drawn when the file was written. */
interface FrozenFigure {
  name: string;
  claim: string;
  svg: string;
  words: string;
  recipe: Recipe;
  lookFor: string;
  misleads: string;
}
/** A question of a page by its name, and what there is to say of each answer where the file does not compute it. */
interface LessonQuestion {
  name: string;
  asked: LessonAsked;
  answers: LessonAnswer[];
  says: string;
  way: number[];
  bare: boolean;
  hides: string[];
}
/** How a question is answered: by choices, on a scale, or by dragging a point. */
interface LessonAsked {
  question: string;
  kind: "choices" | "mark" | "drag" | "shown";
  options: string[];
  label: string;
  low: number;
  high: number;
  step: number;
  unit: string;
  point: number;
  points: [number, number][];
}
/** What is said of an answer of that value. */
interface LessonAnswer {
  value: number;
  said: string;
  verdict: string;
}
/** A control of a room (rooms/visit.js). */
interface RoomControl {
  kind: "slider" | "switch" | "choice" | "number" | "heading" | "remark" | "buttons" | "several";
  key: string;
  label: string;
  text?: string;
  value: string | number | boolean;
  default: string | number | boolean;
  options?: (string | number)[];
  named?: Record<string, string>;
  note?: string;
  low?: number;
  high?: number;
  step?: number | null;
  log?: boolean;
  menu?: boolean;
  /** of buttons: the settings that each changes */
  actions?: Record<string, () => Record<string, unknown>>;
  /** of several: the options that are on, sets of them by name, and their text in a link */
  some?: (string | number)[];
  sets?: Record<string, (string | number)[]>;
  write?: (some: (string | number)[]) => string;
}
/** A question that a room has. */
interface RoomQuestion {
  name: string;
  title: string;
  settings: Record<string, unknown>;
  reveals: Record<string, unknown>;
  bare: boolean;
  hides: string[];
}
/** A room in a state, as rooms/visit.js gives it, or as it was saved. */
interface RoomHere {
  none: string;
  controls: RoomControl[];
  drawn: { losses: Record<string, SceneLoss>; settings: Overlay } | null;
  figures: Record<string, { loss: unknown[]; words: string[] }>;
  claim: string;
  lookFor: string;
  misleads: string;
  line: string;
  formulas: LessonFormula[];
  presets: { label: string; settings: Record<string, unknown>; lesson: boolean }[];
  questions: RoomQuestion[];
  says(label: string): string | null;
}
/** What the state of a room is made of. */
interface RoomState {
  scene: Scene;
  rows: { z: Float64Array; proxies: Float64Array | null };
  picked: number[];
  base: string;
  link: Record<string, unknown>;
  theme: string;
}
/** The script of the losses (to_javascript). */
interface LessonLosses {
  gradient: LossGradientOf;
}
/** The rooms that the file computes, by their pages. */
interface LessonRooms {
  visit(page: string, state: RoomState): RoomHere | null;
  stateOf(page: string, settings: Record<string, unknown>): RoomState;
  ask(page: string, name: string, state: RoomState): LessonAsked;
  reveal(
    page: string,
    name: string,
    answer: number,
    before: RoomState,
    after: RoomState,
  ): { said: string; says: string; verdict: string; way: number[] };
}
/** A room as Python has translated it (dml_viz/room/in_browser.py), and the class of a loss. */
type RoomCode = FromPython;
type LossCode = new (knobs: Record<string, unknown>) => FromPython;
/** What a file is made of: components and rooms. */
interface LessonParts {
  components: Record<string, ComponentModule>;
  rooms: LessonRooms;
}
/** What the script of a file brings: components, and once the file's own code has run, rooms, or losses without rooms. */
interface LessonGiven {
  components: Record<string, ComponentModule>;
  rooms?: { ROOMS: Record<string, RoomCode>; LOSSES: Record<string, LossCode> };
  losses?: LessonLosses;
}
