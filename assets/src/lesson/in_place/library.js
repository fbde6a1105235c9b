// In place of plot/library.js: a lesson's file draws its charts itself (lesson/in_place/chart.js).

/** The promise of no library. @returns {Promise<PlotlyLibrary | null>} */
export function plotly() {
  return Promise.resolve(null);
}
