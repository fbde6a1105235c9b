"""FastAP's whole pipeline for one query, row under row on one axis of squared distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.fastap.figures._bin_members import lights, member_labels
from dml_viz.plot.canvas import canvas, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.stack import Row, stacked
from dml_viz.plot.style import CROWD, EXACT, INK, NEGATIVE, PAPER, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, line, marks, stems
from dml_viz.plot.traces import bars as bar

if TYPE_CHECKING:
    from dml_viz.explain.fastap.model import Model
    from dml_viz.explain.fastap.model_query import Anatomy

FINE = 40  # bins from which marks on lines would touch
VALUE = "%{y:.4~g}"
AXIS = {
    "range": [-0.08, 4.08], "tickvals": [0, 1, 2, 3, 4], "zeroline": False,
    "ticktext": ["0", "1<br>(d = 1)", "2<br>(d = 1.41)", "3<br>(d = 1.73)", "4<br>(d = 2)"],
    "title": {"text": "squared distance d² to the query"}, "unifiedhovertitle": {"text": "d² = %{x:.3g}"},
}  # fmt: skip


def pipeline(model: Model, display: Display) -> go.Figure:
    """Ranked points, kernel, histograms, running sums, precision, gradient per bin and slope per point of one query.

    ``layout.meta["light"]`` says which points each bin lights up.
    """
    one, theme, hard, who = model.one, display.theme, model.settings.binning.hard, display.who
    centres, width, names = one.binning.centres, one.binning.width, [who[k] for k in one.gallery.tolist()]
    ink = INK[theme]
    to_scores = f"→ FastAP {score(one.value)}; grey: exact → AP {score(one.average_precision)}"
    rows = (
        _ranked(one, names, hard),
        _kernel(centres, width, hard, ink),
        _histograms(one, names, hard),
        Row("<b>4  Running sums</b> H⁺ (solid) and H (dotted)",
            [_line("H⁺", centres, one.cum_plus, POSITIVE), _line("H", centres, one.cum, ink, dash="dot")], 100),
        Row(f"<b>5  Precision</b> H⁺/H {to_scores}",
            [line("exact precision", *one.exact[::2], colour=EXACT, shape="hv", hover=VALUE),
             _line("H⁺/H", centres, one.precision, ink)], 100, {"range": [-0.04, 1.08]}),
        Row("<b>6  Gradient per bin</b>: ∂FastAP/∂h⁺ (solid) and ∂FastAP/∂h⁻ (dotted)",
            [_line("∂FastAP/∂h⁺", centres, one.per_positive, POSITIVE),
             _line("∂FastAP/∂h⁻", centres, one.per_negative, NEGATIVE, dash="dot")], 100),
        _slopes(one, hard),
    )  # fmt: skip
    traces, layout = stacked(rows, AXIS)
    alt = _alt(one)
    bars = [place for place, trace in enumerate(traces) if trace["type"] == "bar"]
    marks = [(place, one.d2[of]) for place, (_, of, *_) in enumerate(_kinds(one))]
    layout |= {
        "barmode": "stack", "hovermode": "x unified", "hoversubplots": "axis", "hoverdistance": 30, "showlegend": False,
        "hoverlabel": {"bgcolor": PAPER[theme]}, "meta": {"alt": alt, "light": lights(bars, marks, width, hard=hard)},
    }  # fmt: skip
    return canvas(traces, layout, theme=theme, alt=alt)


def _kinds(one: Anatomy) -> tuple[tuple[str, np.ndarray, str, str, float], ...]:
    """Positives and negatives: name, which points of the gallery, colour, marker and level in the ranked strip."""
    return ("positive", one.relevant, POSITIVE, "circle", 1.0), ("negative", ~one.relevant, NEGATIVE, "x", 0.0)


def _ranked(one: Anatomy, who: Sequence[str], hard: bool) -> Row:
    size, opacity = (6, 0.45) if len(one.d2) > CROWD else (9, 0.9)
    traces = [
        marks(f"nearest {name}", one.d2[of], np.full(int(of.sum()), level), colour=colour, symbol=symbol, size=size,
              opacity=opacity, customdata=one.gallery[of], text=[who[k] for k in np.flatnonzero(of).tolist()],
              hover="%{text}, d² = %{x:.3f}")
        for name, of, colour, symbol, level in _kinds(one)
    ]  # fmt: skip
    signs = {"circle": "●", "x": "✖"}
    counts = [
        f'<span style="color:{colour}">{signs[symbol]} {int(of.sum())} {name}{"s" * (int(of.sum()) != 1)}</span>'
        for name, of, colour, symbol, _ in _kinds(one)
    ]
    heading, shapes = f"<b>1  Ranked points</b>: {', '.join(counts)}", []
    if one.relevant.any() and not hard:
        last, reach = float(one.d2[one.relevant][-1]), 2 * one.binning.width
        heading += f"; shaded: 2Δ = {reach:.3g}"
        band = {"x0": last, "x1": min(last + reach, 4.08), "fillcolor": tint(QUERY, 0.25)}
        shapes = [{"type": "rect", "layer": "below", "line": {"width": 0}, **band}]
    signed = {"range": [-0.7, 1.7], "tickvals": [0, 1], "ticktext": ["−", "+"], "showgrid": False}
    return Row(heading, traces, 54, signed, shapes)


def _kernel(centres: np.ndarray, width: float, hard: bool, ink: str) -> Row:
    corners = ((-0.5, 0), (-0.5, 1), (0.5, 1), (0.5, 0)) if hard else ((-1, 0), (0, 1), (1, 0))
    offsets, heights = np.array((*corners, (np.nan, np.nan))).T
    x = (centres[:, None] + width * offsets).ravel()
    trace = line("kernel", x, np.tile(heights, len(centres)), colour=ink, width=1)
    kind = "Nearest centre takes all" if hard else "Triangular kernel"
    counts = f"{len(centres) - 1} bins between {len(centres)} centres, Δ = {width:.3g}"
    axis = {"range": [0, 1.1], "tickvals": [0, 1], "showgrid": False}
    return Row(f"<b>2  {kind}</b>: {counts}", [trace], 44, axis)


def _histograms(one: Anatomy, who: Sequence[str], hard: bool) -> Row:
    centres, wide = one.binning.centres, 0.92 * one.binning.width
    members = member_labels(one.d2, one.relevant, who, centres, hard=hard)
    traces = [
        bar("h⁺", centres, one.plus, colour=POSITIVE, width=wide, hover="%{y:.3f} (bin at d² = %{x:.3g})"),
        bar("h⁻", centres, one.minus, colour=NEGATIVE, width=wide, hover="%{y:.3f}%{hovertext}", hovertext=members),
    ]
    return Row("<b>3  Histograms</b> h⁺ and h⁻, stacked", traces, 110)


def _slopes(one: Anatomy, hard: bool) -> Row:
    head = 4.0 if len(one.d2) > CROWD else 6.0
    drawn = []
    for name, of, colour, symbol, _ in _kinds(one):
        size = np.tile((0.0, head, 0.0), int(of.sum()))
        marker = {"color": colour, "symbol": symbol, "size": size, "line": {"width": 0}}
        drawn.append(
            stems(f"slope, {name}s", one.d2[of], one.slope[of], colour, 1, mode="lines+markers", marker=marker)
        )
    why = "zero: no move within a bin counts" if hard else "the step of row 6 around it, over Δ"
    return Row(f"<b>7  Slope per point</b> ∂FastAP/∂d²: {why}", drawn, 100)


def _line(name: str, x: np.ndarray, y: np.ndarray, colour: str, dash: str = "solid") -> Trace:
    marker = {"size": 5, "color": colour}
    mode = "lines+markers" if len(x) <= FINE else "lines"
    return line(name, x, y, colour=colour, dash=dash, hover=VALUE, mode=mode, marker=marker)


def _alt(one: Anatomy) -> str:
    kinds = [(name, one.d2[of]) for name, of, *_ in _kinds(one)]
    spread = [f"{len(d2)} {name}s at {d2[0]:.3g} to {d2[-1]:.3g}" for name, d2 in kinds if len(d2)]
    return (
        f"FastAP of one query in {len(one.binning.centres) - 1} bins, seven rows over squared distance 0 to 4: "
        f"{' and '.join(spread) or 'no points'}; histograms holding {one.plus.sum():.3g} positives and "
        f"{one.minus.sum():.3g} negatives; precision {score(float(one.precision[-1]))} after the last bin; FastAP "
        f"{score(one.value)}, exact average precision {score(one.average_precision)}; {int((one.slope != 0).sum())} of "
        f"{len(one.d2)} points have a gradient."
    )
