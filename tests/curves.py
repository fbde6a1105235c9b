"""Whether the charts of a page show all that they were given."""

# The traces of live pictures that have data but are not drawn: hidden by Plotly, without the path or the marks of their data.
LACKING = """() => [...document.querySelectorAll(".dml-live .js-plotly-plot")].flatMap((chart) => {
  const panel = chart.closest(".dml-panel")?.className ?? "";
  return (chart.calcdata ?? [[{ trace: { visible: false, index: "all" } }]]).flatMap((points) => {
    const [{ trace, node3 }] = points;
    const there = points.map(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
    const line = there.some((one, k) => one && there[k - 1]) && trace.mode !== "markers" && trace.line.width;
    const marks = trace.mode.includes("markers") ? there.filter(Boolean).length : 0;
    const found = (name) => [...(node3?.node().isConnected ? node3.node().querySelectorAll(name) : [])];
    const path = found(".js-line").some((node) => /^M[^LHVM]+[LHV]/.test(node.getAttribute("d")));
    const whole = trace.visible === true && (path || !line) && found(".point").length >= marks;
    return whole ? [] : [`${panel} ${trace.index} ${trace.name ?? ""}`];
  });
})"""
