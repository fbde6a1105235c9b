import { ExportMenu } from "./menu.js";
import { ChartPicture, DrawnPicture } from "./pictures.js";
import { withSetting } from "./recipe.js";
import { SheetPicture } from "./sheet.js";
import { nameOf } from "../race/data.js";
import { groupName } from "../runs/group.js";
import { SVG, svgNode } from "../draw/svg.js";

const SCORED = /(r1|map|mapr)\.(seen|unseen)$/;
/** @type {Record<string, string>} */ const MEANINGS = {
  r1: "recall at 1",
  map: "mean average precision",
  mapr: "mean average precision at R",
};

/** The menus of a live picture's panels that can be exported; `data` gives the component's newest data. Returns them by part.
 * @param {LivePart[]} parts @param {RunDesk} desk @param {() => LiveData} data @param {Map<object, ExportMenu>} known */
export async function offerPanels(parts, desk, data, known) {
  // A race draws no chart, and so loads no Plotly.
  const Plotly = parts.some(({ chart }) => chart) ? await desk.library : null;
  for (const part of parts) {
    if (!(part.chart || part.svg || part.sheet) || known.has(part) || !part.panel.root.isConnected || !data().recipe) {
      continue;
    }
    const [, name] = /dml-(\S+)$/.exec(part.panel.root.className) ?? [];
    const say = () => about(part, name, desk, data());
    const { chart, sheet, pixels } = part;
    const svg = part.svg ?? chart?.svg;
    const picture = sheet
      ? Object.assign(new SheetPicture(sheet, say), { pixels })
      : svg
      ? new DrawnPicture(svg, say, part.svg ? part.at?.bind(part) : null)
      : new ChartPicture(Plotly, chart.node, say);
    // A playback would go on while the file is made, and its words would not fit its picture.
    picture.hold = () => desk.picture.hold?.();
    picture.isDrawn = () =>
      (part.chart?.ready ?? part.ready ?? part.size) && desk.frame && showsStep(desk, data().step) &&
      (part.exact ?? true);
    picture.ready = () => settle(part, desk);
    picture.moving = moving(part, desk);
    known.set(part, new ExportMenu(part.panel.root, picture));
  }
}

// The steps of a run or race that a film goes through, and what shows one of them.
/** @param {LivePart} part @param {RunDesk} desk @returns {MovingPicture} */
function moving(part, desk) {
  return {
    steps: () => Array.from(desk.history.column("step")),
    now: () => desk.frame.header.step,
    show: async (step) => {
      desk.picture.hold?.();
      await desk.reach(step);
      await settle(part, desk);
    },
  };
}

/** Draws a part as it is once its points have come to their places. @param {LivePart} part @param {RunDesk} desk */
async function settle(part, desk) {
  await part.settled?.();
  const { still } = desk;
  desk.still = true;
  part.draw();
  desk.still = still;
  await part.chart?.idle();
}

/** Whether the picture shows the requested step. @param {RunDesk} desk @param {number} step */
function showsStep({ frame, history }, step) {
  return step == null || frame.header.step === step || !history.frames.has(step);
}

/** @param {LivePart} part @param {string} name @param {RunDesk} desk @param {LiveData} data */
function about(part, name, desk, { palette, recipe, setting = "step" }) {
  const { panel, pixels } = part;
  const step = desk.frame?.header.step;
  const panelRecipe = { ...recipe, figure: `${recipe.figure}-${name}`, title: panel.title.textContent };
  // A recorded run has steps too, but no link leads to them.
  const linked = recipe.run && step !== undefined && !desk.recorded;
  const link = linked ? withSetting(recipe.link, setting, step) : recipe.link;
  // The recipe has the step that the page knew; the picture may show another one by now.
  const caption = step === undefined ? recipe.caption : recipe.caption.replace(`step ${recipe.step}`, `step ${step}`);
  const whole = { ...panelRecipe, step: step ?? null, last_step: step === undefined ? null : desk.history.latest, link, caption };
  return {
    palette,
    theme: desk.look.theme,
    recipe: whole,
    words: part.words?.() ?? panel.words,
    key: pixels ? [] : (part.key?.() ?? entries(panel.legend)),
    table: part.chart && !part.table ? tableOf(part.chart) : () => part.table?.() ?? curves(desk, Number(recipe.run?.seed ?? 0)),
  };
}

// A chart of Plotly's is its own table; of the charts in a lesson's file each makes one.
/** @param {NonNullable<LivePart["chart"]> & {table?: () => TableData}} chart */
function tableOf(chart) {
  return chart.table ? () => chart.table() : null;
}

/** The rows of every curve so far; those of a race are named by racer and seed, of which `first` is the first.
 * @param {RunDesk} desk @param {number} first */
export function curves({ history, subject }, first) {
  const { members = [], seeds = 1 } = subject.header;
  /** @param {string} column */ const named = (column) => {
    const [, member, seed, metric] = /^(\d+)\.(\d+)\.(.+)$/.exec(column) ?? [];
    const k = Number(member);
    if (!members[k]) return column;
    return `${members[k].letter} ${nameOf(members, k)}${seeds > 1 ? `, seed ${first + Number(seed)}` : ""}: ${metric}`;
  };
  const names = [...history.columns.keys()];
  const values = names.map((name) => history.column(name));
  const rows = Array.from({ length: history.count }, (_, row) => values.map((column) => column[row]));
  const columns = names.map(named);
  const scores = columns.flatMap((column) => {
    const [, score, group] = SCORED.exec(column) ?? [];
    return score ? [`column ${column}: ${MEANINGS[score]} on ${groupName(subject, group)}`] : [];
  });
  return { columns, rows, notes: ["column step: batches trained on so far", ...scores] };
}

/** A legend of the page as entries: each sign with the words behind it. @param {HTMLElement} legend */
export function entries(legend) {
  /** @type {KeyEntry[]} */ const all = [];
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (legend.querySelectorAll(".dml-key, .dml-chip"))) {
    // A button without a sign is a tool.
    if (part.hidden || (part.tagName === "BUTTON" && !part.querySelector("svg"))) continue;
    /** @type {KeyEntry | null} */ let entry = null;
    for (const node of /** @type {NodeListOf<SVGSVGElement>} */ (part.childNodes)) {
      if (node.classList?.contains("dml-aside")) continue;
      if (node.namespaceURI === SVG || !entry) all.push(entry = { text: "", sign: null });
      if (node.namespaceURI === SVG) {
        Object.assign(entry, { sign: sign(node), wide: Number(node.getAttribute("width")) });
      } else entry.text += ` ${node.textContent}`;
    }
  }
  for (const entry of all) entry.text = entry.text.replace(/ +/g, " ").trim();
  return all.filter(({ text }) => text);
}

/** A small picture of the page, around the origin. @param {SVGSVGElement} svg */
function sign(svg) {
  return () => {
    const { x, y, width, height } = svg.viewBox.baseVal;
    const scale = Number(svg.getAttribute("width")) / width;
    const transform = `scale(${scale}) translate(${-x - width / 2} ${-y - height / 2})`;
    return svgNode("g", {}, svgNode("g", { transform }, ...[...svg.children].map((child) => child.cloneNode(true))));
  };
}
