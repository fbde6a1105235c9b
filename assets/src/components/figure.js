import { ExportMenu } from "../export/menu.js";
import { ChartPicture } from "../export/pictures.js";
import { FINGER } from "../kit/layout.js";
import { Light } from "../kit/light.js";
import { Links } from "./link.js";
import { plotly } from "../kit/plotly.js";
import { pageTheme } from "../kit/theme.js";

const CONFIG = {
  displaylogo: false,
  showSendToCloud: false,
  showTips: false,
  responsive: true,
  modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d", "toImage"],
};

/** Shows one Plotly figure from Python in the component's node and redraws it in place when Python sends another. */
export function mount(component) {
  const host = component.parentElement;
  host.dmlNewest = component;
  host.dmlOpening ??= plotly().then((Plotly) => {
    if (!host.isConnected) return unmount(host);
    host.dmlFigure = new Figure(host, Plotly);
    return host.dmlFigure.update(host.dmlNewest);
  });
  host.dmlFigure?.update(component);
}

/** Gives the figure up when its node has left the page; Streamlit also calls cleanups of earlier reruns. */
export function unmount(host) {
  if (host.isConnected) return;
  host.dmlFigure?.close();
  host.dmlFigure = host.dmlOpening = null;
}

const PATIENCE = 500; // ms that a figure out of sight waits at most

// Safari has no idle callbacks.
function whenIdle(draw) {
  return window.requestIdleCallback ? requestIdleCallback(draw, { timeout: PATIENCE }) : setTimeout(draw, PATIENCE / 5);
}

class Figure {
  constructor(host, Plotly) {
    this.Plotly = Plotly;
    this.node = document.createElement("div");
    this.node.setAttribute("role", "img");
    this.node.style.width = "100%";
    const box = document.createElement("div");
    box.append(this.node);
    host.append(box);
    this.box = box;
    this.sizes = new ResizeObserver(() => this.#fit());
  }

  update(component) {
    this.component = component;
    const { figure, alt, height, theme } = component.data;
    this.node.setAttribute("aria-label", alt);
    this.node.style.height = `${height}px`;
    this.#compare(theme);
    if (figure === this.shown) return;
    this.shown = figure;
    if (this.#inSight()) this.#draw();
    else this.waiting ??= whenIdle(() => this.#draw());
  }

  // What a visitor sees is drawn first; what lies beyond the screen waits until the browser has nothing else to do.
  #inSight() {
    const { top, bottom } = this.node.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  }

  #draw() {
    this.waiting = null;
    if (!this.node.isConnected) return;
    const { figure, height, link, ink, faint } = this.component.data;
    this.light?.out();
    const { data, layout } = JSON.parse(figure);
    // The visitor's zoom outlives new data; a figure that does not want this names its own revision.
    const look = { uirevision: "kept", modebar: { bgcolor: "rgba(0,0,0,0)", color: faint, activecolor: ink } };
    // A finger on a figure scrolls the page, and needs the room of the bar.
    const [hand, config] = FINGER.matches ? [{ dragmode: false }, { ...CONFIG, displayModeBar: false }] : [{}, CONFIG];
    this.Plotly.react(this.node, data, { ...look, ...layout, ...hand, height, autosize: true }, config);
    if (!this.links) this.#listen();
    this.links.join(link);
  }

  close() {
    this.sizes.disconnect();
    this.links?.close();
    this.menu?.remove();
    this.Plotly.purge(this.node);
    this.box.remove();
  }

  // Python built the figure for one theme, and hears of another only with a rerun.
  #compare(theme) {
    const page = pageTheme(this.node, theme);
    if (page !== theme && page !== this.asked) this.component.setTriggerValue("theme", page);
    this.asked = page;
  }

  #listen() {
    this.links = new Links(this.node, this.Plotly);
    this.light = new Light(this.node);
    this.sizes.observe(this.node);
    this.#offer();
    this.node.on("plotly_click", ({ points: [point] }) => {
      if (!this.component.data.clickable) return;
      const { curveNumber: curve, pointNumber, customdata } = point;
      this.component.setTriggerValue("clicked", { curve, point: pointNumber, customdata: customdata ?? null });
    });
  }

  #offer() {
    if (!this.component.data.recipe) return;
    const picture = new ChartPicture(this.Plotly, this.node, () => {
      const { figure, alt, theme, recipe, palette } = this.component.data;
      return {
        name: recipe.figure,
        palette,
        theme,
        title: recipe.title,
        words: alt,
        recipe,
        first: JSON.parse(figure),
      };
    });
    this.menu = new ExportMenu(this.box, picture);
  }

  #fit() {
    const width = this.node.clientWidth;
    if (width && Math.abs(width - (this.node._fullLayout?.width ?? width)) >= 1) this.Plotly.Plots.resize(this.node);
  }
}
