"""Draws the figure in FIGURE.csv again, with matplotlib; with Plotly where "plotly" is its first argument."""

import csv
import json
import re
import sys
from pathlib import Path

folder = Path(__file__).parent if "__file__" in globals() else Path()
text = (folder / "FIGURE.csv").read_text(encoding="utf-8")
head = [line[2:] for line in text.splitlines() if line.startswith("# ")]
rows = list(csv.DictReader(line for line in text.splitlines(keepends=True) if not line.startswith("#")))
noted = [line.partition(": ")[2] for line in head if re.match(r"trace \d+: ", line)]
layout = json.loads(next((line.partition(": ")[2] for line in head if line.startswith("layout: ")), "{}"))


def value(cell):
    """A cell as a number where it is one, as None where it is empty."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def columns(own):
    """The columns of some rows, by name; those without a value are left out."""
    found = {name: [value(row[name]) for row in own] for name in own[0]} if own else {}
    return {name: cells for name, cells in found.items() if any(cell is not None for cell in cells)}


# Each trace as Plotly has it: what it looks like, and its data.
traces = []
for place, line in enumerate(noted):
    trace, data = json.loads(line), columns([row for row in rows if row["trace"] == str(place)])
    if trace.get("type") in ("heatmap", "contour"):
        x, y = (list(dict.fromkeys(data[name])) for name in ("x", "y"))
        cells = data.get("z", [None] * (len(x) * len(y)))
        data = {"x": x, "y": y, "z": [cells[k * len(x) : (k + 1) * len(x)] for k in range(len(y))]}
    arrays = {name: data[name] for name in ("x", "y", "z", "u", "v", "base", "width") if name in data}
    if "size" in data:
        trace["marker"] = {**trace.get("marker", {}), "size": data["size"]}
    traces.append({**trace, **arrays})
if not traces and rows:  # a table of curves or points: the first column of numbers against the others
    names = [
        name for name, cells in columns(rows).items() if all(isinstance(cell, (float, type(None))) for cell in cells)
    ]
    drawn = next((json.loads(line.partition(": ")[2]) for line in head if line.startswith("drawn: ")), {})
    x, others, by = drawn.get("x", names[0]), drawn.get("y", names[1:]), drawn.get("by")
    for group in sorted({row[by] for row in rows}) if by else [""]:
        data = columns([row for row in rows if not by or row[by] == group])
        look = {"type": "scatter", "mode": drawn.get("mode", "markers" if by else "lines")}
        traces += [{**look, "name": group or name, "x": data[x], "y": data[name]} for name in others if name in data]
    layout = {"xaxis": {"title": x}, "yaxis": {"title": others[0] if len(others) == 1 else ""}}
    if by:  # places: both axes have one scale
        layout["yaxis"]["scaleanchor"] = "x"

STEPS = {"hv": "steps-post", "vh": "steps-pre", "hvh": "steps-mid"}
DASHES = {"dash": "--", "dot": ":", "dashdot": "-.", "longdash": (0, (8, 3))}
SIGNS = {"circle": "o", "square": "s", "diamond": "D", "x": "x", "cross": "P", "star": "*", "triangle-up": "^",
         "triangle-down": "v", "pentagon": "p", "hexagon": "h"}  # fmt: skip


def with_plotly():
    """The figure, written to FIGURE.html."""
    import plotly.graph_objects as go

    own = {name: {**axis, "title": {"text": axis.get("title", "")}} for name, axis in layout.items() if "axis" in name}
    figure = go.Figure(traces, {**own, "barmode": layout.get("barmode", "overlay"), "template": "simple_white"})
    figure.write_html(folder / "FIGURE.html")
    return figure


def colour(name):
    """A colour of CSS as matplotlib takes it."""
    numbers = re.findall(r"[\d.]+", name) if isinstance(name, str) and name.startswith("rgb") else None
    scales = (255, 255, 255, 1)
    return [float(n) / scale for n, scale in zip(numbers, scales, strict=False)] if numbers else name


def with_matplotlib():
    """The figure, written to FIGURE.pdf."""
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    figure = plt.figure(figsize=(6, 4.5) if len(layout) < 5 else (6, 7))
    panels = {}
    for trace in traces:
        names = [trace.get("xaxis", "x").replace("x", "xaxis"), trace.get("yaxis", "y").replace("y", "yaxis")]
        if tuple(names) not in panels:
            across, up = (layout.get(name, {}) for name in names)
            (left, right), (low, high) = (axis.get("domain") or [0, 1] for axis in (across, up))
            place = [0.12 + 0.8 * left, 0.12 + 0.8 * low, 0.8 * (right - left), 0.8 * (high - low)]
            panel = panels[tuple(names)] = figure.add_axes(place)
            panel.set(xlabel=across.get("title", "") if low < 0.01 else "", ylabel=up.get("title", ""))
            for axis, scale, limits in (
                (across, panel.set_xscale, panel.set_xlim),
                (up, panel.set_yscale, panel.set_ylim),
            ):
                if axis.get("type") == "log":
                    scale("log")
                if axis.get("range"):
                    limits(*(10**end if axis.get("type") == "log" else end for end in axis["range"]))
            if up.get("scaleanchor"):
                panel.set_aspect("equal")
        panel, kind, look, mark = (
            panels[tuple(names)],
            trace.get("type"),
            trace.get("line", {}),
            trace.get("marker", {}),
        )
        x, y = (np.array([np.nan if v is None else v for v in trace.get(name, [])]) for name in ("x", "y"))
        label = trace.get("name") or None
        ink = colour(look.get("color") or mark.get("color"))
        if kind in ("heatmap", "contour"):
            z = np.array([[np.nan if v is None else v for v in row] for row in trace["z"]], float)
            scale = trace.get("colorscale")
            stops = [(at, colour(tone)) for at, tone in scale] if isinstance(scale, list) else None
            shades = LinearSegmentedColormap.from_list("scale", stops) if stops else "viridis"
            image = panel.pcolormesh(
                x, y, z, cmap=shades, vmin=trace.get("zmin"), vmax=trace.get("zmax"), shading="nearest"
            )
            figure.colorbar(image, ax=panel)
        elif kind == "quiver":
            panel.quiver(x, y, trace["u"], trace["v"], angles="xy", scale_units="xy", scale=1, color=ink, label=label)
        elif kind == "bar":
            panel.bar(x, y, bottom=trace.get("base", 0), width=trace.get("width", 0.8), color=ink, label=label)
        else:
            mode = trace.get("mode", "lines")
            style = (
                {"drawstyle": STEPS.get(look.get("shape"), "default"), "lw": look.get("width", 1.5)}
                if "lines" in mode
                else {}
            )
            sign = SIGNS.get(str(mark.get("symbol", "")).removesuffix("-open"), "o") if "markers" in mode else None
            dash = DASHES.get(look.get("dash"), "-") if "lines" in mode else "none"
            size = mark.get("size", 6)
            single = {"ms": size if isinstance(size, (int, float)) else 5}
            panel.plot(
                x,
                y,
                color=ink if isinstance(ink, (str, list)) else None,
                ls=dash,
                marker=sign,
                label=label,
                **single,
                **style,
            )
    for panel in panels.values():
        if 0 < len(panel.get_legend_handles_labels()[1]) <= 12:
            panel.legend(fontsize=7)
    figure.savefig(folder / "FIGURE.pdf")
    return figure


figure = with_plotly() if "plotly" in sys.argv[1:2] else with_matplotlib()
