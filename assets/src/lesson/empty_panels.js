/** The message of panels that have nothing but their names: the scene's overlay computes all else.
 * @param {PanelsData} header @param {GradientsOverlay} overlay @param {Record<string, unknown>} link @param {string} theme
 * @returns {Message<PanelsData>} */
export function emptyPanels(header, { losses }, link, theme) {
  /** @param {"scale" | "part" | "draw"} name */ const set = (name) => String(link[`gradients.${name}`] ?? header[name]);
  const panels = Object.entries(losses).map(([name, { title }]) => {
    const { note = "" } = header.panels.find((panel) => panel.name === name) ?? {};
    return /** @type {LossPanel} */ ({ name, title, note, proxies: 0 });
  });
  const names = ["places", "y", "arrows", "lengths", "partners", "weights", "proxies", "owners"];
  const empty = () => Object.assign(new Float32Array(), { shape: [panels.length, 0, 0] });
  const arrays = Object.fromEntries(names.map((name) => [name, empty()]));
  return { header: { ...header, scale: set("scale"), part: set("part"), draw: set("draw"), theme, n: 0, panels }, arrays };
}
