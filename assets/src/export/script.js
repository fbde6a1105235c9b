import { ASSETS } from "../kit/plotly.js";

/** A program that draws a figure again from its CSV, as Python writes it (dml_viz/figure_files/formats/py.py, ipynb.py). */
export async function script(name, figure, { caption, recipe }) {
  const answer = await fetch(new URL("scripts/redraw.py", ASSETS));
  if (!answer.ok) throw new Error("the script could not be loaded");
  const text = (await answer.text()).replaceAll("FIGURE", figure);
  if (name === "py") return `# dml-viz recipe: ${recipe}\n${text}`;
  const cells = [
    { cell_type: "markdown", id: "words", metadata: {}, source: caption },
    { cell_type: "code", id: "redraw", metadata: {}, outputs: [], execution_count: null, source: text },
  ];
  const kernelspec = { display_name: "Python 3", language: "python", name: "python3" };
  const metadata = { kernelspec, dml_viz_recipe: JSON.parse(recipe) };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
