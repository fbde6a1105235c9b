// Plotly, with the trace types that the pages use; one page loads it once, however many components it shows.

import { ASSETS } from "../host/assets.js";
import { GIVEN_UP } from "../host/attempt.js";

const LIBRARY = new URL("plotly.min.js", ASSETS);

/** The promise of the Plotly library, loaded on first use. */
export function plotly() {
  window.dmlPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = LIBRARY.href;
    const failed = () => {
      clearTimeout(late);
      window.dmlPlotly = undefined;
      script.remove();
      reject(new Error(`no library at ${LIBRARY}`));
    };
    const late = setTimeout(failed, GIVEN_UP);
    script.onload = () => {
      if (!window.Plotly) return failed(); // what is no script, such as a proxy's page for signing in, may be loaded all the same
      clearTimeout(late);
      watchPrinting();
      resolve(window.Plotly);
    };
    script.onerror = failed;
    document.head.append(script);
  });
  return window.dmlPlotly;
}

// For the paper nothing is drawn anew: with a box of their own, pictures are scaled where the style makes them narrower.
function watchPrinting() {
  const pictures = () => document.querySelectorAll(".main-svg");
  addEventListener("beforeprint", () => {
    for (const svg of pictures()) svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  });
  addEventListener("afterprint", () => pictures().forEach((svg) => svg.removeAttribute("viewBox")));
}
