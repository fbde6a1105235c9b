// Written by `python -m dml_viz.export.contracts` from the types of dml_viz/engine/message_types.py,
// dml_viz/room/component_data.py and dml_viz/serve/classroom/messages.py.
// deno-fmt-ignore-file
// deno-lint-ignore-file
/** A racer that is drawn: its letter, the step and racer that it branches from, its dimension, its data set's number. */
interface SubjectRacer {
  letter: string;
  title: string;
  branch: [number, number] | null;
  dim: number;
  data: number;
}
/** A further data set that members are evaluated on; the names of its arrays begin with "data1.", "data2.". */
interface DataWords {
  classes: string[];
  categories: string[];
  trained: number[];
  baseline: Record<string, number>;
  sets: string[];
  title: string;
}
/** What a job is of. Its arrays are "y", "unseen", "images", "near_pixels" and "sets", of further data "data1.y" and so on. */
interface SubjectHeader {
  classes: string[];
  categories: string[];
  trained: number[];
  baseline: Record<string, number>;
  sets: string[];
  version: number;
  kind: "subject";
  run: string;
  title: string;
  device: string;
  budget: number;
  every: number;
  dim: number;
  protocol: string;
  seeds: number;
  members: SubjectRacer[];
  data: DataWords[];
}
/** The verdict on a watched loop: notes, a sentence for where all is well, and the last step that is known. */
interface LoopVerdict {
  notes: string[];
  well: string;
  last: number;
}
/** The least step of a racer's seeds, the mean seconds of a seed, and why seeds ended early. */
interface RacerProgress {
  step: number;
  seconds: number;
  failed: string[];
}
/** The news that there is no newer frame. */
interface TickHeader {
  verdict?: LoopVerdict;
  version: number;
  status: "running" | "paused" | "asleep" | "done" | "incomplete" | "stopped" | "failed";
  reason: string;
  budget: number;
  latest: number;
  plane: number;
  changes?: [number, string][];
  kind: "tick";
  step: number;
  members: RacerProgress[];
}
/**
 * A racer in a frame: whether it has one, its notes, the names of classes that are its own, and a step that is its own.
 *
 * With its points come the step of the key frame at whose places its neighbour map begins (-1: none), and whether it is one.
 */
interface FrameRacer {
  step: number;
  seconds: number;
  failed: string[];
  there: boolean;
  notes: string[];
  names?: string[];
  at?: number;
  after?: number;
  key?: boolean;
}
/**
 * A step as it is drawn. Its arrays are "rows", and of member k "k.view", "k.near" and the like; "losses" of a watched loop.
 *
 * `rows` has the step and then `columns`, run by run.
 */
interface FrameHeader {
  verdict?: LoopVerdict;
  version: number;
  status: "running" | "paused" | "asleep" | "done" | "incomplete" | "stopped" | "failed";
  reason: string;
  budget: number;
  latest: number;
  plane: number;
  changes?: [number, string][];
  kind: "frame";
  step: number;
  members: FrameRacer[];
  columns: string[];
  device: string;
}
/** All coordinates of the points at a step; its array is "z". */
interface EmbeddingsHeader {
  version: number;
  kind: "embeddings";
  step: number;
}
/** The steps of key frames, of each member; their points, in whole numbers, are "k.points" (m, n, d) of member k. */
interface PointsHeader {
  version: number;
  kind: "points";
  steps: number[][];
}
/** The colour and the marker of a class, and its grey (0 is black) in print without colour. */
interface ClassStyle {
  colour: string;
  marker: string;
  grey: number;
}
/** The tones of racers by theme, and their dashes. */
interface RacerStyles {
  tones: Record<string, string[]>;
  dashes: string[];
}
/** All colours and markers, on light paper: `onDark` has those that dark paper needs, `words` those that are read. */
interface Palette {
  classes: ClassStyle[];
  positive: string;
  negative: string;
  query: string;
  exact: string;
  onDark: Record<string, string>;
  words: Record<string, string>;
  ink: Record<string, string>;
  faint: Record<string, string>;
  paper: Record<string, string>;
  font: string;
  racers: RacerStyles;
}
/** The spec of a figure as JSON values: what every exported file holds, from which `Spec.read` makes it again. */
interface Recipe {
  dml_viz_recipe: number;
  figure: string;
  page: string;
  link: string;
  title: string;
  caption: string;
  theme: string;
  loss: unknown[];
  run: Record<string, unknown> | null;
  step: number | null;
  last_step: number | null;
  query: number | null;
  changes: [number, string][];
  settings: Record<string, unknown>;
  versions: Record<string, string>;
  view: Record<string, unknown[]>;
  size: Record<string, number>;
  write_up: Record<string, unknown> | null;
  address: string;
}
/** A figure of Plotly: the address that makes it (`source`), or the figure as JSON with its words and its height. */
interface FigureData {
  source?: string;
  figure?: string;
  alt?: string;
  height?: number;
  link: string | null;
  clickable: boolean;
  theme: string;
  ink: string;
  faint: string;
  palette?: Palette;
  recipe?: Recipe;
}
/**
 * A live picture of the run at `url`, which is pulled ("live"), comes with Streamlit's own messages ("bytes") or is recorded.
 *
 * `subject` is the first message in base64 where the rest comes as bytes, `embeddings` the message of all coordinates. `setting`
 * is the key of the step in a link. Points of more than three dimensions are drawn in a neighbour map or a plane, by `picture`.
 */
interface LiveData {
  mode: "recorded" | "bytes" | "live";
  url: string;
  subject: string | null;
  palette: Palette;
  theme: string;
  layout: string;
  picture?: "map" | "plane";
  waits?: boolean;
  terms?: Record<string, string>;
  view?: string | null;
  step: number | null;
  query: number | null;
  status: string | null;
  setting: string;
  embeddings?: string | null;
  recipe?: Recipe | null;
}
/** A message of the run at `url`, in the array "message", with the step that was asked for; "points" are those asked for. */
interface FeedData {
  kind: "feed";
  url: string;
  step: number | null;
}
/** The class of a button whose presses are counted, and how many of them Python knows. */
interface PressesData {
  button: string;
  taken: number;
}
/** A link, its short form (or nothing), and the address of the image of its QR code (or nothing). */
interface ShareData {
  link: string;
  short: string;
  code: string;
  theme: string;
  palette: Palette;
}
/** What a button is called that saves the file made at an address, and the name of that file. */
interface TakeData {
  label: string;
  address: string;
  file: string;
  theme: string;
  palette: Palette;
}
/** The points (degrees, class) of a prediction, which of them is dragged, the answer, and its way once it is revealed. */
interface PredictData {
  points: [number, number][];
  point: number;
  answer: number | null;
  way: number[] | null;
  theme: string;
  palette: Palette;
}
/** A question that the page on the wall has for the class: how it is asked, and the right choice of a lesson's own. */
interface OfferedQuestion {
  title: string;
  ask: Record<string, unknown>;
  right: number | null;
}
/**
 * The classroom that a tab teaches (`wall`) or attends: its code, the address to join with its QR code, the teacher's token.
 *
 * `offer` is the question of the page, `stations` the number of stations of its lesson (0 without one), and `done` the number of
 * what the page did last for the browser.
 */
interface ClassroomData {
  code: string;
  wall: boolean;
  token: string;
  join: string;
  image: string;
  offer: OfferedQuestion | null;
  stations: number;
  done: number;
  theme: string;
  palette: Palette;
}
/**
 * What a page shows alone (`only`) or presents, the selectors of its figures by key, and the station of its lesson.
 *
 * `at` is the figure to scroll to, and `arrival` counts such links.
 */
interface PresenterData {
  only: string;
  present: string[] | null;
  times: number;
  foot: string[];
  side: string[];
  figures: Record<string, string>;
  main: string;
  at: string;
  arrival: number;
  station: number;
  stations: number;
}
/** A loss that the browser computes: its file, its knobs, and its learnt tensors other than proxies, at their start. */
interface SceneLoss {
  loss: string;
  knobs: Record<string, unknown>;
  learnt: Record<string, number[]>;
  proxies: boolean;
}
/** The settings of an overlay that has none. */
interface NoOverlay {
}
/** The knobs of the angular and the triplet loss, and whether both are drawn. */
interface AngularOverlay {
  angular: Record<string, number | boolean | string | null>;
  triplet: Record<string, number | boolean | string | null>;
  both: boolean;
}
/** Whether the list of the chosen query alone is drawn, and the words in place of arrows, if any. */
interface FastAPOverlay {
  ofQuery: boolean;
  instead: string;
}
/** Whether arrows and balls are drawn. */
interface RankedListOverlay {
  arrows: string;
  balls: boolean;
}
/** Whether the edges are the anchor's, whether rows are of length 1, and the knobs of the triplet loss if it is drawn. */
interface PairsOverlay {
  ofAnchor: boolean;
  unit: boolean;
  triplet: Record<string, number | boolean | string | null> | null;
}
/** The knobs of both losses with proxies, and the share of points of which Proxy-NCA draws edges (None: all). */
interface ProxiesOverlay {
  nca: Record<string, number | boolean | string | null>;
  anchor: Record<string, number | boolean | string | null>;
  wrongSign: boolean;
  share: number | null;
  edges: string;
}
/** A loss whose gradient is drawn: its file, title and knobs, its learnt tensors by dimension, and its proxies of a class. */
interface OverlayLoss {
  loss: string;
  title: string;
  knobs: Record<string, unknown>;
  learnt: Record<string, Record<string, number[]>>;
  rows: number;
  proxies: boolean;
  unit: boolean;
}
/** Every loss as the browser computes it, the part of its gradient that is drawn, and the loss that is `shown`. */
interface GradientsOverlay {
  shown: string;
  part: string;
  losses: Record<string, OverlayLoss>;
}
/** The fewest and the most points of a scene, and the most classes. */
interface SceneLimits {
  fewest: number;
  most: number;
  classes: number;
}
/**
 * A scene that is dragged: its text, the preset it began as, what is chosen in it, and what its overlay draws around it.
 *
 * `revision` counts the changes by Python, `serial` is the newest report that Python has; `presets` are the texts of the presets
 * in two and in three dimensions, and `lesson` has the state of each control that a lesson locks or hides. Where it is
 * `bare` the points alone are drawn.
 */
interface SceneData {
  revision: number;
  serial: number;
  scene: string;
  base: string;
  view: string;
  picked: number[];
  choose: string[];
  overlay: string;
  height: number;
  presets: Record<string, string[]>;
  losses: Record<string, SceneLoss>;
  settings: NoOverlay | AngularOverlay | FastAPOverlay | RankedListOverlay | PairsOverlay | ProxiesOverlay | GradientsOverlay;
  limits: SceneLimits;
  theme: string;
  palette: Palette;
  revealed?: boolean;
  bare?: boolean;
  lesson?: Record<string, string>;
  recipe?: Recipe;
}
/** A second view of the scene, which shows the data of the scene's own overlay. */
interface SecondViewData {
  height: number;
  theme: string;
  palette: Palette;
  recipe?: Recipe;
}
/** The gradient of one loss at the points: its value and norm, how many points and pairs it moves, and how long it took. */
interface LossPanel {
  name: string;
  title: string;
  note: string;
  value: number;
  norm: number;
  points: number[];
  pairs: number[];
  ms: number;
  radial: number;
  shown: number;
  proxies: number;
  oneSided: boolean;
}
/** The panels of all losses at `n` points; their arrays are of all panels, one after another. */
interface PanelsData {
  dragged: boolean;
  picked: number;
  view: string;
  scale: string;
  part: string;
  draw: string;
  theme: string;
  palette: Palette;
  dim: number;
  n: number;
  circle: boolean;
  zoom: number;
  middle: number[];
  names: string[];
  panels: LossPanel[];
  recipe?: Recipe;
}
/** The flow along one loss: at which step it stalls or ends and why, how often its value rises, and its proxies' classes. */
interface LossFlow {
  name: string;
  title: string;
  stalled: number | null;
  end: "moves" | "arrived" | "stuck" | "rests";
  toAndFro: boolean;
  rises: number;
  why: string;
  owners: number[];
}
/** The flows along all losses from `n` points; their arrays are of all steps of all losses. */
interface FlowData {
  dragged: boolean;
  view: string;
  step: number;
  waits: boolean;
  steps: number;
  theme: string;
  palette: Palette;
  names: string[];
  n: number;
  dim: number;
  circle: boolean;
  panels: LossFlow[];
  recipe?: Recipe;
}
/** A figure of a tray: its recipe without what the app adds; of a run, whether it is a recording. */
interface TrayPanel {
  figure: string;
  page: string;
  link: string;
  title: string;
  step: number | null;
  last_step?: number | null;
  changes: [number, string][];
  view: Record<string, unknown[]>;
  size: Record<string, number>;
  run: Record<string, unknown> | null;
}
/** Figures in order, the columns and letters of their panels, and their style. */
interface TrayData {
  panels: TrayPanel[];
  columns: number;
  letters: string;
  options: Record<string, unknown> | null;
}
/** A component that is drawn out of sight beside a picture's own, for what the picture reads of it. */
interface CompanionComponent {
  module: string;
  data: unknown;
}
/** What draws the picture `figure` out of sight: a component with its data, in a frame of `width` px, and others beside it. */
interface PictureRequest {
  module: string;
  data: unknown;
  figure: string;
  width: number;
  others?: CompanionComponent[];
}
/** Why a figure cannot be made. */
interface Fault {
  fault: string;
}
/** The tray that is shown in place of an empty one, and what draws its figures. */
interface ExampleTray {
  tray: TrayData;
  panels: (PictureRequest | Fault | null)[];
}
/**
 * A tray, what draws each of its figures that the browser has not, and whether the tray has just come with the link.
 *
 * ``fault`` says why the tray that the browser has is not taken over.
 */
interface ComposeData {
  tray: TrayData;
  panels: (PictureRequest | Fault | null)[];
  options: Record<string, unknown>;
  palette: Palette;
  arrived?: boolean;
  fault?: string;
  example?: ExampleTray | null;
  recipe?: Recipe;
}
/**
 * A file whose rows are drawn: its title, its classes, the dimensions of its rows, and the picture that they are drawn in.
 *
 * `share` is that of variance which a plane shows, `right` the shares of rows whose nearest row is of their class, in all
 * dimensions and in the picture, `images` whether rows have images. `near` is how many nearest rows of each are known, 0 before.
 * The arrays of file k are "k.places" and "k.y" and, once nearest rows are known, "k.right", how many of these are of a row's
 * class, `NO_QUERY` for a row that is no query, and "k.looks", 1 + the class that a row looks like, 0 for none.
 */
interface FilePoints {
  title: string;
  names: string[];
  dim: number;
  picture: string;
  share: number;
  right: [number, number] | null;
  images: boolean;
  near: number;
}
/** All rows of one file or two as points: the address of a message with files and arrays (`source`), or the files. */
interface PointsData {
  source?: string;
  files?: FilePoints[];
  theme: string;
  palette: Palette;
  recipe?: Recipe;
}
/** Data with arrays, as one message in base64. */
interface PackedData {
  bytes: string;
}
/** What was asked about rows: the `near`est of one with their `cosines`, or nothing beside the array "images" (n, H, W). */
interface RowsAnswer {
  near?: number[];
  cosines?: number[];
}
/** The first message of a student: a random id that no one else knows, and the ticket of an earlier welcome, if any. */
interface StudentHello {
  type: "hello";
  role: "student";
  id: string;
  ticket: string;
}
/** The first message of a wall or a console. */
interface TeacherHello {
  type: "hello";
  role: "wall" | "console";
  token: string;
}
/** A student's answer to the vote that was opened in `epoch`; an answer that was counted before comes with its receipt. */
interface AnswerMessage {
  type: "answer";
  epoch: number;
  value: number;
  receipt: string;
}
/** The prediction of a page by its name; of one on the teacher's own run, the id of the run. */
interface PredictionAsk {
  prediction: string;
  run?: string;
}
/** Two to five options of a teacher's own question. */
interface OwnChoices {
  kind: "choice";
  options: string[];
}
/** A scale on which a number is marked. */
interface AskedScale {
  kind: "mark";
  label: string;
  low: number;
  high: number;
  step: number;
  unit: string;
}
/** A number that answers a teacher's own question. */
interface OwnNumber {
  kind: "number";
  label: string;
  unit: string;
}
/** A question of the teacher's own; at the reveal comes what the answer `says`, and the `link` to the state that shows it. */
interface OwnAsk {
  text: string;
  by: OwnChoices | AskedScale | OwnNumber;
  says?: string;
  link?: string;
}
/** A teacher opens a question in the state of `epoch`. */
interface OpenMessage {
  type: "open";
  epoch: number;
  ask: PredictionAsk | OwnAsk;
}
/**
 * Another action in the state of `epoch`. What may be known at the reveal alone: the place of the `right` option of a
 * question of the teacher's own, and the id of the `run` that a prediction is about.
 */
interface ActionMessage {
  type: "close" | "again" | "show" | "reveal" | "next";
  epoch: number;
  right?: number;
  run?: string;
}
/** Let students follow, or not. */
interface FollowMessage {
  type: "follow";
  on: boolean;
}
/** The page that a teacher shows, with its settings. */
interface LinkSent {
  type: "link";
  link: string;
}
/** What the page on a wall has for the consoles: its question, and the number of stations of its lesson, 0 for none. */
interface OfferSent {
  type: "offer";
  question: OfferedQuestion | null;
  stations: number;
}
/** What a teacher shows at this moment: a page, its changed settings, the step of a scrubber, and the pointer. */
interface FollowedScene {
  page: string;
  settings: Record<string, string>;
  step: number | null;
  pointer: [number, number] | null;
}
/** What a teacher's hand does. */
interface SceneSent {
  type: "scene";
  scene: FollowedScene;
}
/** Options, or the panels of losses; of panels the points (degrees, class) that each of them shows. */
interface AskedChoices {
  kind: "choice" | "panel";
  options: string[];
  points: [number, number][];
}
/** A number that is typed, from -`largest` to `largest`. */
interface AskedNumber {
  kind: "number";
  label: string;
  unit: string;
  largest: number;
}
/** Points (degrees, class) on the circle, of which one is dragged; the answer is its angle in degrees. */
interface AskedDrag {
  kind: "drag";
  points: [number, number][];
  point: number;
}
/**
 * A question with all that is needed to answer it, and nothing of its answer; its texts are Markdown with TeX.
 *
 * `allows` says how near an answer has to be.
 */
interface Question {
  name: string;
  title: string;
  page: string;
  text: string;
  allows: string;
  by: AskedChoices | AskedScale | AskedNumber | AskedDrag;
}
/**
 * The state of a classroom. `votes` are the epochs in which the votes of its question were opened.
 *
 * The first vote is `shown` before the second. A classroom that `waits` has lost its server and not yet its teacher. Teachers
 * have the legal actions, how the question was asked, and the link; the console has a suggestion.
 */
interface StateMessage {
  type: "state";
  seq: number;
  epoch: number;
  state: "idle" | "open 1" | "closed 1" | "open 2" | "closed 2" | "revealed";
  votes: number[];
  shown: boolean;
  waits: boolean;
  question: Question | null;
  follow: boolean;
  legal?: ("open" | "close" | "again" | "show" | "reveal" | "next")[];
  ask?: PredictionAsk | OwnAsk | null;
  link?: string;
  suggestion?: "" | "explain" | "talk" | "go on";
}
/** The state that a teacher's device has had last; it counts where the classroom's own is older. */
interface RestoreMessage {
  type: "restore";
  state: StateMessage;
}
/** All reconnect, and are led to another replica; or the classroom ends. */
interface PlainMessage {
  type: "move" | "end";
}
/** A poll: hello, the server of the answer before, the newest message seen, the patience in seconds, and messages. */
interface PollRequest {
  hello: StudentHello | TeacherHello;
  server: string;
  seen: number;
  wait: number;
  messages: (StudentHello | TeacherHello | AnswerMessage | OpenMessage | ActionMessage | FollowMessage | LinkSent | OfferSent | SceneSent | RestoreMessage | PlainMessage)[];
}
/** A question that the pages have ready. */
interface Prepared {
  name: string;
  title: string;
  page: string;
}
/** The answer to a hello; teachers get the questions that are ready, students a ticket. */
interface Welcome {
  type: "welcome";
  server: string;
  code: string;
  expires: number;
  ticket: string;
  questions: Prepared[];
}
/**
 * How many have answered in the vote of now, and how many who are there have not; how many students are there, and how many
 * answers each vote has.
 */
interface CountMessage {
  type: "count";
  seq: number;
  answered: number;
  silent: number;
  people: number;
  votes: number[];
}
/** The answers of a vote: counts of options, or sorted guesses with five quantiles; how many are right, close, wrong. */
interface Vote {
  answered: number;
  counts: number[];
  guesses: number[];
  quantiles: number[];
  verdicts: number[];
}
/** Of those who answered in both votes: how many changed their answer, how many to the right one, and how many from it. */
interface Switched {
  both: number;
  changed: number;
  to_right: number;
  from_right: number;
}
/**
 * The votes and the truth, which is `right` in words, with the way of a dragged point and the page in its state.
 *
 * A vote of too few is None, and so is what they switched. A first vote that is shown early comes without the truth.
 */
interface RevealMessage {
  type: "reveal";
  seq: number;
  epoch: number;
  truth: number | null;
  right: string;
  says: string;
  way: number[];
  exact: number;
  tolerance: number;
  link: string;
  votes: (Vote | null)[];
  switched: Switched | null;
}
/** What a teacher's hand does, newest alone. */
interface SceneMessage {
  type: "scene";
  seq: number;
  scene: FollowedScene;
}
/** The page that a teacher shows. */
interface LinkMessage {
  type: "link";
  seq: number;
  link: string;
}
/** What the page on the wall has for the consoles. */
interface OfferMessage {
  type: "offer";
  seq: number;
  question: OfferedQuestion | null;
  stations: number;
}
/** An answer is counted, as a student is also told on entering; the receipt shows it to any server. */
interface Taken {
  type: "taken";
  epoch: number;
  value: number;
  receipt: string;
}
/** A message of type `what` was refused; `why` is a sentence. The `epoch` is that of a refused answer, else of the state. */
interface Refused {
  type: "refused";
  what: string;
  why: string;
  epoch: number;
}
/** The answer to a poll. */
interface PollAnswer {
  server: string;
  seen: number;
  messages: (Welcome | StateMessage | CountMessage | RevealMessage | SceneMessage | LinkMessage | OfferMessage | Taken | Refused)[];
}
type ComponentData = FigureData | LiveData | FeedData | PressesData | ShareData | TakeData | PredictData | ClassroomData | PresenterData | SceneData | SecondViewData | PanelsData | FlowData | ComposeData | PointsData;
type Overlay = NoOverlay | AngularOverlay | FastAPOverlay | RankedListOverlay | PairsOverlay | ProxiesOverlay | GradientsOverlay;
type ClientMessage = StudentHello | TeacherHello | AnswerMessage | OpenMessage | ActionMessage | FollowMessage | LinkSent | OfferSent | SceneSent | RestoreMessage | PlainMessage;
type ServerMessage = Welcome | StateMessage | CountMessage | RevealMessage | SceneMessage | LinkMessage | OfferMessage | Taken | Refused;
