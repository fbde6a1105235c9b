"""FastAP's whole pipeline for one query, in rows over one axis of squared distance."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.fastap.model import Model, QueryRanking
from dml_viz.plot.canvas import Display, Row, canvas, counted, score, stacked, tint
from dml_viz.plot.style import CROWD, EXACT, INK, NEGATIVE, PAPER, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, bars, line, marks, stems

LISTED = 4  # pairs named in one label of a bin
LEAST_SUM = 0.1  # of a running sum on a logarithmic axis
FINE_BINS = 40  # number of bins from which marks on lines would touch
VALUE = "%{y:.4~g}"
AXIS = {
    "range": [-0.08, 4.08],
    "tickvals": [0, 1, 2, 3, 4],
    "zeroline": False,
    "ticktext": ["0", "1<br>(d = 1)", "2<br>(d = 1.41)", "3<br>(d = 1.73)", "4<br>(d = 2)"],
    "ticklabeloverflow": "allow",
    "title": {"text": "squared distance d² to the query"},
    "unifiedhovertitle": {"text": "d² = %{x:.3g}"},
}


def pipeline(model: Model, display: Display) -> go.Figure:
    """Ranked points, kernel, histograms, running sums, precision, gradient per bin and slope per point of one query.

    ``layout.meta["light"]`` says which points each bin lights up.
    """
    ranking, theme, hard, who = model.ranking, display.theme, model.settings.binning.hard, display.who
    centres, width, names = ranking.binning.centres, ranking.binning.width, [who[k] for k in ranking.gallery.tolist()]
    ink = INK[theme]
    to_scores = (
        f"→ FastAP\N{NO-BREAK SPACE}{score(ranking.fastap)}; grey: exact → AP\N{NO-BREAK SPACE}{score(ranking.average_precision)}"
    )
    rows = (
        _ranked(ranking, names, hard),
        _kernel(centres, width, hard, ink),
        *_histograms(ranking, names, hard),
        _sums(ranking, ink),
        Row(f"<b>5  Precision</b> H⁺/H {to_scores}",
            [line("exact precision", *ranking.exact_recall_and_precision[::2], colour=EXACT, shape="hv", hover=VALUE),
             _line("H⁺/H", centres, ranking.precision, ink)], 100, {"range": [-0.04, 1.08]}),
        Row("<b>6  Gradient per bin</b>: ∂FastAP/∂h⁺ (solid), ∂/∂h⁻ (dotted)",
            [_line("∂FastAP/∂h⁺", centres, ranking.slope_by_positives, POSITIVE),
             _line("∂FastAP/∂h⁻", centres, ranking.slope_by_negatives, NEGATIVE, dash="dot")], 100),
        _slopes(ranking, hard),
    )  # fmt: skip
    traces, layout = stacked(rows, AXIS)
    alt = (
        f"FastAP of one query in {len(centres) - 1} bins, {len(rows)} rows over squared distance 0 to 4: {_counted(ranking)}. "
        f"FastAP is {score(ranking.fastap)}, exact AP "
        f"{score(ranking.average_precision)}. {int((ranking.slope != 0).sum())} of {len(ranking.d2)} points have a slope."
    )
    # Hovering a bar of ``by`` lights up, in each trace of ``points``, the marks whose ``low`` to ``high`` includes its bin.
    by = [bar for bar, trace in enumerate(traces) if trace["type"] == "bar"]
    lit = [(k, _spans(ranking.d2[members], width, hard)) for k, (_, members, *_) in enumerate(_kinds(ranking))]
    light = {"by": by, "points": [{"trace": k, "low": low.tolist(), "high": high.tolist()} for k, (low, high) in lit]}
    layout |= {
        "barmode": "stack",
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "hoverdistance": 30,
        "hoverlabel": {"bgcolor": PAPER[theme]},
        "meta": {"light": light},
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _kinds(ranking: QueryRanking) -> tuple[tuple[str, np.ndarray, str, str, float], ...]:
    """Positives and negatives: name, mask over the gallery, colour, marker and level in the ranked strip."""
    return ("positive", ranking.relevant, POSITIVE, "circle", 1.0), ("negative", ~ranking.relevant, NEGATIVE, "x", 0.0)


def _ranked(ranking: QueryRanking, who: Sequence[str], hard: bool) -> Row:
    traces = []
    for name, members, colour, symbol, level in _kinds(ranking):
        many = int(members.sum())
        size, opacity = (6, 0.45) if (many if ranking.has_few_positives else len(ranking.d2)) > CROWD else (9, 0.9)
        look: dict[str, Any] = {"colour": colour, "symbol": symbol, "size": size, "opacity": opacity}
        text = [who[k] for k in np.flatnonzero(members).tolist()]
        look |= {"customdata": ranking.gallery[members], "text": text, "hover": "%{text}, d² = %{x:.3f}"}
        traces.append(marks(f"nearest {name}", ranking.d2[members], np.full(many, level), **look))
    signs = {"circle": "●", "x": "✖"}
    counts = [
        f'<span style="color:{colour}">{signs[symbol]} {counted(int(members.sum()), name)}</span>'
        for name, members, colour, symbol, _ in _kinds(ranking)
    ]
    heading, shapes = f"<b>1  Ranking</b>: {', '.join(counts)}", []
    if ranking.relevant.any() and not hard:
        last, reach = float(ranking.d2[ranking.relevant][-1]), 2 * ranking.binning.width
        heading += f"; shaded 2Δ\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{reach:.3g}"
        band = {"x0": last, "x1": min(last + reach, 4.08), "fillcolor": tint(QUERY, 0.25)}
        shapes = [{"type": "rect", "layer": "below", "line": {"width": 0}, **band}]
    signed = {"range": [-0.7, 1.7], "tickvals": [0, 1], "ticktext": ["−", "+"], "showgrid": False}
    return Row(heading, traces, 54, signed, shapes)


def _counted(ranking: QueryRanking) -> str:
    """The numbers of positives and of negatives, in words."""
    counts = (("positive", ranking.positives), ("negative", len(ranking.d2) - ranking.positives))
    return " and ".join(counted(count, name) for name, count in counts)


def _kernel(centres: np.ndarray, width: float, hard: bool, ink: str) -> Row:
    corners = ((-0.5, 0), (-0.5, 1), (0.5, 1), (0.5, 0)) if hard else ((-1, 0), (0, 1), (1, 0))
    offsets, heights = np.array((*corners, (np.nan, np.nan))).T
    x = (centres[:, None] + width * offsets).ravel()
    trace = line("kernel", x, np.tile(heights, len(centres)), colour=ink, width=1)
    kind = "Nearest centre takes all" if hard else "Triangular kernel"
    counts = f"{len(centres) - 1} bins between {len(centres)} centres, Δ\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{width:.3g}"
    axis = {"range": [0, 1.1], "tickvals": [0, 1], "showgrid": False}
    return Row(f"<b>2  {kind}</b>: {counts}", [trace], 44, axis)


def _histograms(ranking: QueryRanking, who: Sequence[str], hard: bool) -> tuple[Row, ...]:
    """Both histograms in one row, stacked; in two, each on its own scale, where the positives' bars would be too low to see."""
    centres, width = ranking.binning.centres, 0.92 * ranking.binning.width
    plus = bars("h⁺", centres, ranking.plus, colour=POSITIVE, width=width, hover="%{y:.3f} (bin at d² = %{x:.3g})")
    labels, hover = labels_of_bins(ranking.d2, ranking.relevant, who, centres, hard=hard), "%{y:.3f}%{hovertext}"
    minus = bars("h⁻", centres, ranking.minus, colour=NEGATIVE, width=width, hover=hover, hovertext=labels)
    if not ranking.has_few_positives:
        return (Row("<b>3  Histograms</b> h⁺ and h⁻, stacked", [plus, minus], 110),)
    times = float(ranking.minus.max() / ranking.plus.max())
    return (
        Row(f"<b>3  Histograms</b>, each on its own scale: h⁺, drawn {times:.2g} times as high as h⁻", [plus], 60),
        Row("h⁻", [minus], 60),
    )


def _sums(ranking: QueryRanking, ink: str) -> Row:
    """The running sums; on a logarithmic axis where that of the positives would be too low to see."""
    heading, axis = "<b>4  Running sums</b> H⁺ (solid) and H (dotted)", dict[str, Any]()
    plus, both = ranking.cum_plus, ranking.cum
    if ranking.has_few_positives:
        heading += ", logarithmic: their distance is the precision"
        axis = {"type": "log", "range": [np.log10(LEAST_SUM), np.log10(2 * ranking.cum[-1])], "dtick": 1}
        plus, both = (np.where(total > LEAST_SUM, total, np.nan) for total in (plus, both))
    centres = ranking.binning.centres
    return Row(heading, [_line("H⁺", centres, plus, POSITIVE), _line("H", centres, both, ink, dash="dot")], 100, axis)


def _slopes(ranking: QueryRanking, hard: bool) -> Row:
    traces = []
    for name, members, colour, symbol, _ in _kinds(ranking):
        d2, slope = ranking.d2[members], ranking.slope[members]
        head = 4.0 if (members.sum() if ranking.has_few_positives else len(ranking.d2)) > CROWD else 6.0
        traces += [
            stems(f"slope, {name}s", d2, slope, colour, 1),
            marks(f"heads, {name}s", d2, slope, colour=colour, symbol=symbol, size=head, edge=(0, None)),
        ]
    why = "0 within a bin" if hard else "row 6’s step / Δ"
    axis = {} if ranking.slope.any() else {"range": [-1, 1], "tickvals": [0]}
    return Row(f"<b>7  Slope per point</b> ∂FastAP/∂d²: {why}", traces, 100, axis)


def _line(name: str, x: np.ndarray, y: np.ndarray, colour: str, dash: str = "solid") -> Trace:
    marker = {"size": 5, "color": colour}
    mode = "lines+markers" if len(x) <= FINE_BINS else "lines"
    return line(name, x, y, colour=colour, dash=dash, hover=VALUE, mode=mode, marker=marker)


def _spans(d2: np.ndarray, width: float, hard: bool) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last bin (G,) that count each squared distance (G,); ``width`` is between centres of bins."""
    t = d2 / width
    low = np.floor(t + (0.5 if hard else 0)).astype(int)
    return low, low if hard else np.ceil(t).astype(int)


def labels_of_bins(d2: np.ndarray, relevant: np.ndarray, who: Sequence[str], centres: np.ndarray, *, hard: bool) -> list[str]:
    """For each bin (B+1,) the pairs it counts, nearest first, as further lines of its label: sign, name and share."""
    width = float(centres[1] - centres[0])
    low, high = _spans(d2, width, hard)
    share = np.ones_like(d2) if hard else low + 1 - d2 / width
    labels = []
    for b in range(len(centres)):
        inside = np.flatnonzero((low <= b) & (b <= high))
        shares = np.where(low == b, share, 1 - share)
        names = [f"<br>{'+' if relevant[k] else '−'} {who[k]}: {shares[k]:.2f}" for k in inside[:LISTED].tolist()]
        more = len(inside) - LISTED
        labels.append("".join(names) + (f"<br>and {more} more" if more > 0 else ""))
    return labels
