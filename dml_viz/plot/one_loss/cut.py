"""A cut through the plane of a triplet: the value of the formula over the gradient that training uses."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import Display, Row, canvas, number, stacked, tint
from dml_viz.plot.style import EXACT, INK, NEGATIVE, QUERY
from dml_viz.plot.traces import line, marks

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model

HEIGHTS = (150, 150)
ROOM = 0.06  # space above and below a curve, as a share of its height
REACH = 3.0  # a curve is cut off at this multiple of its largest value on shaded stretches


def cut(model: "Model", display: Display) -> go.Figure:
    """A figure of the value, the gradient in use dL/ds_n and the value's slope along s_n, at one s_p.

    Stretches on which descent by the gradient in use raises the value are shaded.
    """
    loss_cut, ink, here = model.cut, INK[display.theme], not (model.cut_misses_triplet or np.isnan(model.s_n))
    s_n, value, used, slope, rising = loss_cut.s_n, loss_cut.value, loss_cut.used, loss_cut.slope, loss_cut.step_raises_value
    at = np.array([model.s_n])
    triplet = [
        [marks("this triplet", at, np.interp(at, s_n, curve), colour=QUERY, symbol="diamond", size=11)] if here else []
        for curve in (value, used)
    ]
    stretches = _stretches(s_n, rising)
    shade = [
        {"type": "rect", "x0": low, "x1": high, "fillcolor": tint(NEGATIVE, 0.16), "line": {"width": 0}, "layer": "below"}
        for low, high in stretches
    ]
    agree = f"slope of the value {'=' if loss_cut.gradient_is_slope else '≠'} gradient in use"
    lows, highs = zip(_range(used, rising), _range(_usual(slope), rising), strict=True)
    rows = [
        Row(f"value of the loss at s<sub>p</sub> = {number(loss_cut.s_p, '.3f')}{'' if here else ', not at a triplet'}",
            [line("value", s_n, value, colour=ink, width=2.5, hover="sₙ = %{x:.3f}: L = %{y:.4g}<extra></extra>"), *triplet[0]],
            HEIGHTS[0], {"range": _range(value, rising)}, shade),
        Row(f"<span style='color:{NEGATIVE}'>━</span> dL/ds<sub>n</sub> in use (above 0: push); ┅ slope of L<br>{agree}",
            [line("slope", s_n, slope, colour=EXACT, dash="dash", hover="slope of the value: %{y:.4g}<extra></extra>"),
             line("used", s_n, used, colour=NEGATIVE, width=2.5, hover="dL/dsₙ in use: %{y:.4g}<extra></extra>"), *triplet[1]],
            HEIGHTS[1], {"range": [min(lows), max(highs)], "zeroline": True, "zerolinecolor": ink}, shade),
    ]  # fmt: skip
    traces, layout = stacked(rows, {"title": {"text": "s<sub>n</sub>, anchor and negative"}, "range": [-1.03, 1.03]})
    layout |= {"showlegend": False, "hovermode": "x", "uirevision": "cut"}
    layout["height"] += 18
    layout["margin"] = {**layout["margin"], "t": 34}
    between = " and ".join(f"{number(round(low, 2), '.2f')} and {number(round(high, 2), '.2f')}" for low, high in stretches)
    ends = (loss_cut.s_p, *(float(end(of)) for of in (value, used) for end in (np.nanmin, np.nanmax)))
    s_p, *lows_and_highs = (number(end) for end in ends)
    alt = (
        f"The loss along sₙ at sₚ = {s_p}: from {lows_and_highs[0]} to {lows_and_highs[1]}; the gradient in "
        f"use from {lows_and_highs[2]} to {lows_and_highs[3]}. "
        + (f"Between {between} descent raises the value." if stretches else "Nowhere does descent raise the value.")
    )
    return canvas(traces, layout, theme=display.theme, alt=alt)


def _stretches(s: np.ndarray, rising: np.ndarray) -> list[tuple[float, float]]:
    """The stretches of ``s`` (F,), from one end to the other, on which ``step_raises_value`` (F,) is true."""
    turns = np.flatnonzero(np.diff(np.concatenate(([0], rising.astype(int), [0]))))
    return [(float(s[low]), float(s[high - 1])) for low, high in turns.reshape(-1, 2).tolist()]


def _usual(slope: np.ndarray) -> np.ndarray:
    """The slopes (F,) clipped to their usual range: a difference quotient across a jump of the value is no slope."""
    finite = slope[np.isfinite(slope)]
    return np.clip(slope, *np.quantile(finite, (0.03, 0.97))) if len(finite) else slope


def _range(curve: np.ndarray, rising: np.ndarray) -> list[float]:
    """The range of the whole curve, or a part of it in which the rising stretches are visible."""
    if not np.isfinite(curve).any():
        return [-1.0, 1.0]
    low, high = min(float(np.nanmin(curve)), 0.0), float(np.nanmax(curve))
    if rising.any():
        reach = REACH * float(np.abs(curve[rising]).max())
        low, high = max(low, -reach), min(high, reach)
    room = ROOM * (high - low) or max(abs(high), 1.0) * ROOM
    return [low - room, high + room]
