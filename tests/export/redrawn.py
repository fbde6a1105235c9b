"""What a program of matplotlib has drawn, against the chart of Plotly that it draws again."""

import re
import runpy
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure as Drawn
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.patches import Rectangle
from matplotlib.quiver import Quiver
from matplotlib.text import Annotation

from dml_viz.figure_files.formats import FORMATS, Figure

CLOSE = 1e-6


def redrawn(figure: Figure, folder: Path) -> Drawn:
    """The figure of matplotlib that the program of ``figure`` draws from the CSV beside it."""
    for form in ("csv", "py"):
        (folder / f"{figure.spec.figure}.{form}").write_bytes(FORMATS[form].write(figure) or b"")
    return run(folder / f"{figure.spec.figure}.py")


def run(program: Path) -> Drawn:
    """The figure of matplotlib that a program draws; it is not written, which takes longer than all the rest."""
    matplotlib.use("agg")
    arguments, sys.argv = sys.argv, [str(program)]
    save, Drawn.savefig = Drawn.savefig, lambda *_, **__: None  # type: ignore[method-assign]
    try:
        return runpy.run_path(str(program))["figure"]
    finally:
        sys.argv, Drawn.savefig = arguments, save  # type: ignore[method-assign]
        plt.close("all")


def compare(figure: Drawn, chart: Mapping[str, Any], traces: list[dict[str, Any]]) -> None:
    """Hold that ``figure`` has the marks, values, axes and words of the ``traces`` of the decoded ``chart``."""
    layout = chart["layout"]
    panels = {tuple(panel.get_label().split()): panel for panel in figure.axes if panel.get_label() != "colours"}
    found: dict[int, list[Any]] = {place: [] for place in range(len(traces))}
    for panel in panels.values():
        for artist in panel.get_children():
            if (artist.get_gid() or "").startswith("trace "):
                found[int(artist.get_gid().split()[1])].append(artist)
    for place, trace in enumerate(traces):
        {"scatter": scatter, "bar": bars, "heatmap": cells, "contour": levels, "quiver": arrows}[trace["type"]](
            found[place], trace, layout, traces[:place]
        )
    for (x, y), panel in panels.items():
        for ref, own, ends in ((x, panel.xaxis, panel.get_xlim()), (y, panel.yaxis, panel.get_ylim())):
            axis(layout.get(f"{ref[0]}axis{ref[1:]}", {}), own, ends, layout)
    everything = [*figure.get_children(), *(one for panel in panels.values() for one in panel.get_children())]
    ids = [one.get_gid() or "" for one in everything]
    assert sorted(own.split()[1] for own in ids if own.startswith("shape ")) == sorted(
        shape["type"] for shape in layout.get("shapes", ())
    )
    assert ids.count("note") == len(layout.get("annotations", ()))
    wide, high = figure.get_size_inches() * 96
    assert (round(wide), round(high)) == (layout.get("width") or 700, layout["height"])


def scatter(found: list[Any], trace: Mapping[str, Any], layout: Mapping[str, Any], _: list[dict[str, Any]]) -> None:
    mode, mark, line = trace.get("mode", "lines"), trace.get("marker", {}), trace.get("line", {})
    x, y = (places(trace, letter, layout) for letter in "xy")
    lines = [one for one in found if isinstance(one, Line2D)]
    assert len(lines) == ("lines" in mode and line.get("width", 2) > 0)
    for one in lines:
        np.testing.assert_allclose(np.array(one.get_data(orig=True), float), [x, y], atol=CLOSE)
        assert near(one.get_color(), line.get("color"), trace.get("opacity", 1))
        assert (one.get_linestyle() == "-") == (line.get("dash", "solid") == "solid")
        assert one.get_linewidth() == 0.75 * line.get("width", 2)
    there = np.isfinite(x + y)
    sizes = np.broadcast_to(np.array(mark.get("size", 6), float), x.shape)
    shown = there & (sizes > 0)
    marks = [one for one in found if isinstance(one, PathCollection)]
    pointed = [one for one in found if isinstance(one, Annotation)]
    if "markers" not in mode:
        assert not marks
    elif mark.get("symbol") == "arrow":
        ends = np.array([one.xy for one in pointed]).reshape(-1, 2)
        np.testing.assert_allclose(ends, np.stack((x, y), 1)[shown], atol=CLOSE)
    else:
        every = np.concatenate([np.array(one.get_offsets()) for one in marks]) if marks else np.zeros((0, 2))
        np.testing.assert_allclose(sorted(map(tuple, every)), sorted(map(tuple, np.stack((x, y), 1)[shown])), atol=CLOSE)
        colours = mark.get("color", line.get("color"))
        if marks and isinstance(colours, str):
            opacity = trace.get("opacity", 1) * np.max(mark.get("opacity", 1))
            tones = [*marks[0].get_facecolor(), *marks[0].get_edgecolor()]
            assert any(near(tone, colours, opacity) for tone in tones)
    texts = trace.get("text") if "text" in mode else None
    words = [texts] * len(x) if isinstance(texts, str) else texts or []
    boxes = [one for one in found if isinstance(one, AnnotationBbox)]
    assert len(boxes) == sum(bool(text) and bool(here) for text, here in zip(words, there, strict=False))
    filled = [one for one in found if not isinstance(one, Line2D | PathCollection | Annotation | AnnotationBbox)]
    assert bool(filled) == (trace.get("fill", "none") != "none")


def bars(found: list[Any], trace: Mapping[str, Any], layout: Mapping[str, Any], before: list[dict[str, Any]]) -> None:
    own = [one for one in found if isinstance(one, Rectangle)]
    level = trace.get("orientation") == "h"
    along, long = ("y", "x") if level else ("x", "y")
    at, size = (places(trace, letter, layout) for letter in (along, long))
    assert len(own) == len(at)
    low = np.broadcast_to(np.array(trace.get("base", 0), float), at.shape).copy()
    if layout.get("barmode") == "stack":
        for other in before:
            if other["type"] == "bar" and other.get("yaxis", "y") == trace.get("yaxis", "y"):
                other_at, other_size = (places(other, letter, layout) for letter in (along, long))
                low += [other_size[other_at == one].sum() for one in at]
    boxes = [
        [one.get_y(), one.get_x(), one.get_height(), one.get_width()]
        if level
        else [one.get_x(), one.get_y(), one.get_width(), one.get_height()]
        for one in own
    ]
    start, base, wide, tall = np.array(boxes).T
    np.testing.assert_allclose(base, low, atol=CLOSE)
    np.testing.assert_allclose(tall, size, atol=CLOSE)
    if "width" in trace:
        np.testing.assert_allclose(wide, np.broadcast_to(trace["width"], wide.shape), atol=CLOSE)
    else:
        assert (wide > 0).all()
        assert len(at) < 2 or (wide <= np.diff(np.unique(at)).min() + CLOSE).all()
    if "offset" in trace or layout.get("barmode", "group") != "group":
        np.testing.assert_allclose(start, at + np.array(trace.get("offset", -wide / 2)), atol=CLOSE)
    shades = trace["marker"]["color"]
    for one, shade in zip(own, shades if isinstance(shades, list) else [shades] * len(own), strict=True):
        assert near(one.get_facecolor(), shade, trace.get("opacity", 1) * trace["marker"].get("opacity", 1))
    words = [one for one in found if isinstance(one, Annotation)]
    assert len(words) == (len(at) if trace.get("text") and trace.get("textposition") != "none" else 0)


def cells(found: list[Any], trace: Mapping[str, Any], layout: Mapping[str, Any], _: list[dict[str, Any]]) -> None:
    [mesh] = [one for one in found if isinstance(one, QuadMesh)]
    z = np.array(trace["z"], float)
    np.testing.assert_allclose(np.ma.filled(mesh.get_array(), np.nan).reshape(z.shape), z, atol=CLOSE)
    for name, end in zip(("zmin", "zmax"), mesh.get_clim(), strict=True):
        assert trace.get(name, end) == end
    assert near(mesh.cmap(0.0), trace["colorscale"][0][1])
    assert near(mesh.cmap(1.0), trace["colorscale"][-1][1])
    words = [one.get_text() for one in found if hasattr(one, "get_text")]
    assert len(words) == (z.size if trace.get("texttemplate") else 0)
    corners = mesh.get_coordinates()
    for letter, ends in (("x", corners[0, :, 0]), ("y", corners[:, 0, 1])):
        if letter in trace:
            middles = places(trace, letter, layout)
            assert ((ends[1:] > middles) & (middles > ends[:-1])).all()


def levels(found: list[Any], trace: Mapping[str, Any], *_: Any) -> None:
    sets = [one for one in found if isinstance(one, QuadContourSet)]
    z = np.array(trace["z"], float)
    drawn = [one.levels for one in sets if not one.filled]
    assert len(drawn) == 1
    assert len(sets) == len(drawn[0]) + 2  # the ground, what is above each level, and the lines between
    assert len(drawn[0]) <= trace["ncontours"]
    assert ((drawn[0] >= np.nanmin(z)) & (drawn[0] <= np.nanmax(z))).all()


def arrows(found: list[Any], trace: Mapping[str, Any], *_: Any) -> None:
    [own] = [one for one in found if isinstance(one, Quiver)]
    for name, values in (("x", own.X), ("y", own.Y), ("u", own.U), ("v", own.V)):
        np.testing.assert_allclose(np.array(values), np.array(trace[name], float), atol=CLOSE)
    assert (own.scale, own.angles) == (1, "xy")
    assert near(own.get_facecolor()[0], trace["marker"]["color"])


def axis(given: Mapping[str, Any], own: Any, ends: tuple[float, float], layout: Mapping[str, Any]) -> None:
    assert own.get_scale() == ("log" if given.get("type") == "log" else "linear")
    if "range" in given:
        wanted = 10 ** np.array(given["range"], float) if given.get("type") == "log" else given["range"]
        low, high = sorted(wanted)
        one_scale = any("scaleanchor" in value for name, value in layout.items() if re.match("[xy]axis", name))
        if one_scale:  # the shorter of both may grow
            assert min(ends) <= low + CLOSE
            assert max(ends) >= high - CLOSE
        else:
            np.testing.assert_allclose(ends, wanted, rtol=1e-6, atol=CLOSE)
    if "ticktext" in given:
        assert list(own.get_majorticklocs()) == list(map(float, given["tickvals"]))
        shown = own.get_major_formatter().format_ticks(own.get_majorticklocs())
        words = [re.sub(r"\$[_^]\{\\mathrm\{(.*?)\}\}\$", r"\1", one).replace("\\", "") for one in shown]
        assert words == [unescape(re.sub(r"<[^>]*>", "", re.sub("<br>", "\n", str(one)))) for one in given["ticktext"]]
    elif "tickvals" in given:
        assert list(own.get_majorticklocs()) == list(map(float, given["tickvals"]))


def places(trace: Mapping[str, Any], letter: str, layout: Mapping[str, Any]) -> np.ndarray:
    """The places along an axis; words have whole numbers, in the order in which the axis has them."""
    values = list(trace.get(letter, ()))
    if any(isinstance(value, str) for value in values):
        ref = trace.get(f"{letter}axis", letter)
        names = list(dict.fromkeys([*layout.get(f"{letter}axis{ref[1:]}", {}).get("categoryarray", ()), *values]))
        values = [names.index(value) for value in values]
    return np.array([np.nan if value is None else value for value in values], float)


def near(tone: Any, name: str | None, opacity: float = 1.0) -> bool:
    """Whether a colour of matplotlib is the one of CSS, with an opacity."""
    if name is None:
        return True
    if name.startswith("rgb"):
        *three, alpha = [*map(float, re.findall(r"[\d.]+", name)), 1.0][:4]
        wanted = (*(part / 255 for part in three), alpha * opacity)
    else:
        wanted = (*to_rgba(name)[:3], opacity)
    return bool(np.allclose(to_rgba(tone), wanted, atol=0.01))
