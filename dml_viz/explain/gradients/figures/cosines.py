"""How alike the gradients of losses are: a table of cosines, with the tree by which it is ordered on top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.gradients.model import Likeness, Model
from dml_viz.plot.canvas import Display, canvas, counted, heading, number
from dml_viz.plot.style import EXACT, NEGATIVE, PAPER, POSITIVE
from dml_viz.plot.traces import curves, heatmap, line, with_gaps

CELL, WRITTEN = 30, 16  # pixels of a row; number of losses up to which cells have their numbers
TREE = 0.16  # of the height, the tree's
HATCHES = np.array((0.0, 0.5, 1.0))  # places of a cell's diagonal lines, as shares of its width
ALIKE = 0.9


def cosines(model: Model, display: Display) -> go.Figure:
    """The cosines between the gradients of all losses."""
    titles = list(model.titles.values())
    return cosines_figure([titles[k] for k in model.likeness.order], model.likeness, theme=display.theme)


def cosines_figure(titles: Sequence[str], alike: Likeness, *, theme: str = "light") -> go.Figure:
    """A table of the cosines (L, L) between the losses ``titles`` (L,), in the order of ``alike``; NaN is hatched."""
    cosines = alike.cosines
    many = len(titles)
    cells = np.arange(many)
    height = int(max(340, 150 + CELL * many))
    top = float(alike.tree_y.max(initial=0)) or 1.0
    alt = _alt(titles, cosines)
    hover = [[f"{a} and {b}: {number(cosines[i, j], '.2f', '–')}" for j, b in enumerate(titles)] for i, a in enumerate(titles)]
    ticks = {"tickvals": [-1, -0.5, 0, 0.5, 1], "ticktext": ["−1", "−½", "0", "½", "1"]}
    bar = {"title": {"text": "cosine"}, "thickness": 12, "len": 1 - TREE, "y": 0, "yanchor": "bottom", **ticks}
    more: dict[str, Any] = {"x": cells, "y": cells, "hovertext": hover, "hover": "%{hovertext}<extra></extra>"}
    if many <= WRITTEN:
        text = [["" if np.isnan(c) else number(c, ".2f") for c in row] for row in cosines.tolist()]
        more |= {"text": text, "texttemplate": "%{text}", "textfont": {"size": 12}}
    traces = [
        heatmap("cosines", cosines, (NEGATIVE, PAPER[theme], POSITIVE), (-1, 1), gap=1, showscale=True, colorbar=bar, **more),
        line("tree", with_gaps(alike.tree_x), with_gaps(alike.tree_y), colour=EXACT, width=1.4, yaxis="y2"),
    ]
    unknown = np.argwhere(np.isnan(cosines))
    if len(unknown):
        traces.append(curves("no gradient", _hatched(unknown), colour=EXACT, width=0.8))
    axis = {"tickvals": cells, "ticktext": list(titles), "showgrid": False, "ticks": "", "range": [-0.5, many - 0.5]}
    layout = {
        "height": height, "margin": {"l": 130, "r": 12, "t": 8, "b": 110},
        "xaxis": {**axis, "tickangle": -45 if many <= WRITTEN else -90, "anchor": "y"},
        "yaxis": {**axis, "range": [many - 0.5, -0.5], "domain": [0, 1 - TREE - 0.01]},
        "yaxis2": {"domain": [1 - TREE, 1], "range": [0, 1.08 * top], "showgrid": False, "nticks": 3, "anchor": "x",
                   "title": {"text": "1 − cos", "font": {"size": 12}}, "tickfont": {"size": 12}},
        "uirevision": "cosines", **(_key() if len(unknown) else {}),
    }  # fmt: skip
    return canvas(traces, layout, theme=theme, alt=alt)


def _hatched(cells: np.ndarray) -> np.ndarray:
    """The ends (L, 2, 2) of diagonal lines across cells (K, 2), given as rows and columns."""
    ends = np.stack((np.maximum(0, HATCHES - 0.5) - 0.5, np.minimum(1, HATCHES + 0.5) - 0.5), 1)
    rows, columns = cells.T[:, :, None, None]
    return np.stack((columns + ends, rows + ends[:, ::-1]), -1).reshape(-1, 2, 2)


def _key() -> dict[str, Any]:
    """The key of the hatching, below the colour bar."""
    at = {"xref": "paper", "yref": "paper", "xanchor": 1, "yanchor": 0, "xsizemode": "pixel", "ysizemode": "pixel"}
    line = {"type": "line", **at, "line": {"color": EXACT, "width": 0.8}}
    words = heading("no<br>gradient", 1, 0, yanchor="top", xshift=26, yshift=-14, align="left", font={"size": 12})
    hatches = [((12, -24), (18, -18)), ((12, -30), (24, -18)), ((18, -30), (24, -24))]
    shapes = [{**line, "x0": x0, "y0": y0, "x1": x1, "y1": y1} for (x0, y0), (x1, y1) in hatches]
    return {"annotations": [words], "shapes": shapes}


def _alt(titles: Sequence[str], cosines: np.ndarray) -> str:
    known = [title for title, cosine in zip(titles, np.diag(cosines), strict=True) if not np.isnan(cosine)]
    i, j = np.triu_indices(len(titles), 1)
    values = cosines[i, j]
    if not np.isfinite(values).any():
        have = "has" if len(known) == 1 else "have"
        return f"Cosines between the gradients of {counted(len(titles), 'loss', 'losses')}, of which {len(known)} {have} one."
    most, least = int(np.nanargmax(values)), int(np.nanargmin(values))
    pairs = int(np.isfinite(values).sum())
    of = f"{len(titles)} losses" if len(known) == len(titles) else f"the {len(known)} of {len(titles)} losses that have one"
    return (
        f"Cosines between the gradients of {of}: the most alike are {titles[i[most]]} and "
        f"{titles[j[most]]}, {number(values[most], '.2f')}; the least {titles[i[least]]} and {titles[j[least]]}, "
        f"{number(values[least], '.2f')}; {int((values > ALIKE).sum())} of {pairs} pairs are above {ALIKE}."
    )
