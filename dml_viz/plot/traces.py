"""Traces and shapes of Plotly from plain arrays; without a ``hover`` text a trace shows nothing under the pointer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dml_viz.plot.canvas import tint

Trace = dict[str, Any]
Shape = dict[str, Any]  # of a layout, not a trace
TEXT = "%{text}<extra></extra>"  # hover text: the trace's own text alone
Edge = tuple[float, str | None]  # width and colour of a mark's outline


def marks(
    name: str,
    x: Any,
    y: Any,
    *,
    colour: Any,
    symbol: Any = "circle",
    size: Any = 9,
    opacity: Any = None,
    edge: Edge | None = None,
    hover: str = "",
    **more: Any,
) -> Trace:
    """Marks at ``x`` and ``y``; ``more`` are other properties of the trace."""
    marker = {"color": colour, "symbol": symbol, "size": size, "opacity": opacity}
    if edge:
        marker["line"] = {"width": edge[0]} | ({"color": edge[1]} if edge[1] else {})
    given = {key: value for key, value in marker.items() if value is not None}
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "marker": given, **_hover(hover), **more}


def line(
    name: str,
    x: Any,
    y: Any,
    *,
    colour: str,
    width: float = 2,
    dash: str = "solid",
    shape: str = "linear",
    hover: str = "",
    **more: Any,
) -> Trace:
    """A line through ``x`` and ``y``, with a gap at NaN; ``more`` are other properties of the trace."""
    look = {"color": colour, "width": width, "dash": dash, "shape": shape}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": look, **_hover(hover), **more}


def curves(name: str, points: np.ndarray, **more: Any) -> Trace:
    """A line through each row of ``points`` (K, m, 2), all in one trace with gaps between them; ``more`` as for a `line`."""
    return line(name, *map(with_gaps, points.transpose(2, 0, 1)), **more)


def joined(segments: np.ndarray, within: float) -> list[np.ndarray]:
    """Lines (m, 2) through ``segments`` (K, 2, 2) whose ends are ``within`` that of each other: dashes go on within a line."""
    rest, lines = list(segments), []
    while rest:
        points = [*rest.pop()]
        for _ in range(2):  # from its last point on, then from its first
            while rest:
                apart = np.abs(np.array(rest) - points[-1]).max(2)  # (K, 2)
                nearest, end = divmod(int(apart.argmin()), 2)
                if apart[nearest, end] > within:
                    break
                points.append(rest.pop(nearest)[1 - end])
            points.reverse()
        lines.append(np.array(points))
    return lines


def joined_marks(name: str, x: Any, y: Any, *, size: float, symbol: str = "", mode: str = "lines+markers", **more: Any) -> Trace:
    """A line with a mark at each point, ``more`` as for a `line`; the marks alone in the ``mode`` "markers"."""
    return line(name, x, y, mode=mode, marker={**({"symbol": symbol} if symbol else {}), "size": size}, **more)


def bars(name: str, x: Any, y: Any, *, colour: Any, hover: str = "", **more: Any) -> Trace:
    """Bars at ``x`` of heights ``y``; ``more`` are other properties of the trace."""
    return {"type": "bar", "name": name, "x": x, "y": y, "marker": {"color": colour}, **_hover(hover), **more}


def heatmap(
    name: str, z: Any, colours: Sequence[str], ends: tuple[float, float] = (0, 1), *, gap: int = 0, hover: str = "", **more: Any
) -> Trace:
    """Cells ``gap`` pixels apart in ``colours``, from the first of ``ends`` to the second; ``more`` are other properties."""
    scale = [[k / (len(colours) - 1), colour] for k, colour in enumerate(colours)]
    look = {"zmin": ends[0], "zmax": ends[1], "colorscale": scale, "showscale": False, "xgap": gap, "ygap": gap}
    return {"type": "heatmap", "name": name, "z": z, **look, **_hover(hover), **more}


def contour(name: str, x: Any, y: Any, z: Any, colours: tuple[str, str], edge: Edge, *, hover: str, **more: Any) -> Trace:
    """Areas in ``colours`` from the lowest ``z`` to the highest, with an ``edge`` between them; ``more`` are other properties."""
    look = {"showscale": False, "colorscale": [[0, colours[0]], [1, colours[1]]], "line": {"width": edge[0], "color": edge[1]}}
    return {"type": "contour", "name": name, "x": x, "y": y, "z": z, **look, **_hover(hover), **more}


def quiver(name: str, places: np.ndarray, vectors: np.ndarray, colour: str, width: float, ids: np.ndarray) -> Trace:
    """Arrows ``vectors`` (K, 2) at ``places`` (K, 2), in true length; ``ids`` (K, ...) identify them on a click."""
    (x, y), (u, v) = places.T, vectors.T
    marker = {"color": colour, "line": {"width": width}, "arrowsize": 0.8}
    return {"type": "quiver", "name": name, "x": x, "y": y, "u": u, "v": v, "lengthmode": "raw", "anchor": "tail",
            "marker": marker, "customdata": ids, "hoverinfo": "skip"}  # fmt: skip


def arrow_lines(name: str, starts: np.ndarray, ends: np.ndarray, *, colour: str, width: float, head: float, **more: Any) -> Trace:
    """Arrows from ``starts`` to ``ends`` (K, 2) as a line with heads, because Plotly draws its own arrows below contours."""
    sizes = np.outer((starts != ends).any(1), (0.0, head, 0.0)).ravel()
    look = {"symbol": "arrow", "angleref": "previous", "opacity": 1, "line": {"width": 0}}
    marker = {"color": colour, "size": sizes, **look}
    arrows = np.stack((starts, ends), 1)
    return curves(name, arrows, colour=colour, width=width, mode="lines+markers", marker=marker, **more)


def with_gaps(rows: np.ndarray) -> np.ndarray:
    """Join ``rows`` (K, m) into (K (m + 1),), with NaN, a gap in a line, behind each row."""
    return np.column_stack((rows, np.full(len(rows), np.nan))).ravel()


def stems(name: str, x: np.ndarray, y: np.ndarray, colour: str, width: float, **more: Any) -> Trace:
    """Vertical lines from 0 to each ``y`` (K,)."""
    return line(name, np.repeat(x, 3), with_gaps(np.stack((np.zeros_like(y), y), 1)), colour=colour, width=width, **more)


def band(name: str, x: Any, low: np.ndarray, high: np.ndarray, colour: str, opacity: float, **more: Any) -> Trace:
    """The area between ``low`` and ``high`` (K,) over ``x`` (K,), filled."""
    x, y = np.concatenate((x, x[::-1])), np.concatenate((high, low[::-1]))
    return line(name, x, y, colour=colour, width=0, fill="toself", fillcolor=tint(colour, opacity), **more)


def vertical_line_shape(x: float, colour: str, width: float = 2, dash: str = "dot", **more: Any) -> Shape:
    """A vertical line across the panel at ``x``, a shape of the layout."""
    look = {"color": colour, "width": width, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1, "line": look, **more}


def horizontal_line_shape(y: float, colour: str, width: float = 1.5, dash: str = "dot", **more: Any) -> Shape:
    """A horizontal line across the panel at ``y``, a shape of the layout."""
    look = {"color": colour, "width": width, "dash": dash}
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": look, **more}


def circle_shape(centre: Sequence[float] | np.ndarray, r: float, colour: str, width: float = 1.5, **more: Any) -> Shape:
    """A circle drawn below the traces, a shape of the layout."""
    x, y = map(float, centre)
    dash = {"dash": more.pop("dash")} if "dash" in more else {}
    look = {"layer": "below", "line": {"color": colour, "width": width, **dash}}
    return {"type": "circle", "x0": x - r, "x1": x + r, "y0": y - r, "y1": y + r, **look, **more}


def _hover(template: str) -> Trace:
    return {"hovertemplate": template} if template else {"hoverinfo": "skip"}
