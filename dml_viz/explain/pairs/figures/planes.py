"""Four losses over the same two similarities, side by side."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.pairs.model import DEGREES, Field, Losses
from dml_viz.plot.canvas import Display, canvas, heading, number
from dml_viz.plot.one_loss.plane import log_where_steep, loss_contour
from dml_viz.plot.style import INK, PAPER, QUERY
from dml_viz.plot.traces import Trace, arrow_lines, marks

EACH, GAP = 4, 0.1  # points of the grid from an arrow to the next; the gap between panels, as a share of the width
LONGEST_ARROW = 0.1  # arrow, of an axis
USUAL = 0.9  # the quantile of arrow lengths that is drawn as the longest arrow
SHORTEST = 0.1  # of that length: a shorter arrow would be only a head


def planes(losses: Losses, display: Display) -> go.Figure:
    """The value as contours, and arrows down the gradient, of each loss in a panel of its own; a diamond is the page's triplet.

    In trace "descent k" every arrow has three points, its tail, its head and a gap.
    """
    degrees, theme = losses.settings.axes == DEGREES, display.theme
    now = np.array([losses.first.s_p, losses.first.s_n])
    now = np.degrees(np.arccos(now)) if degrees else now
    here: Trace = {"colour": QUERY, "symbol": "diamond", "edge": (1.5, PAPER[theme]), "hover": "this triplet<extra></extra>"}
    triplet = marks("this triplet", now[:1], now[1:], size=10, **here)
    traces: list[Trace] = []
    axes, notes = {}, []
    ends, ticks = ([-4, 184], [0, 45, 90, 135, 180]) if degrees else ([-1.05, 1.05], [-1, -0.5, 0, 0.5, 1])
    letter = "θ" if degrees else "s"
    for k, field in enumerate(losses.four_fields):
        row, column = divmod(k, 2)
        x, y = (f"{axis}{k + 1}" if k else axis for axis in "xy")
        wide, low = (1 - GAP) / 2, (1 - row) * (1 + GAP) / 2
        across, up = [column * (1 + GAP) / 2, column * (1 + GAP) / 2 + wide], [low, low + wide]
        for name, other, domain, of in ((x, y, across, "p"), (y, x, up, "n")):
            title = {"title": {"text": f"{letter}<sub>{of}</sub>", "standoff": 4}} if (row if of == "p" else not column) else {}
            scale = {"scaleanchor": x} if of == "n" else {}
            side = {"domain": domain, "anchor": other, "range": ends, "tickvals": ticks, "constrain": "domain", **title, **scale}
            axes[name.replace(name[0], f"{name[0]}axis", 1)] = side
        notes.append(heading(f"<b>{field.title}</b>", across[0], up[1]))
        layers = (_value(field, theme), _descent(field, ends[1] - ends[0], k, theme), triplet)
        traces += [{**trace, "xaxis": x, "yaxis": y} for trace in layers]
    values = "; ".join(f"{field.title} up to {number(float(np.nanmax(field.value)))}" for field in losses.four_fields)
    alt = (
        f"{len(losses.four_fields)} losses over the {losses.settings.axes} of anchor and positive and of anchor and negative, "
        f"with arrows down the gradient. Values: {values}."
    )
    layout = {"height": 760, "margin": {"l": 50, "r": 12, "t": 24, "b": 46}, "annotations": notes}
    return canvas(traces, {**layout, "uirevision": losses.settings.axes, **axes}, theme=theme, alt=alt)


def _value(field: Field, theme: str) -> Trace:
    text, hover = np.char.mod("L = %.3g", field.value), "%{x:.3g}, %{y:.3g}<br>%{text}<extra></extra>"
    drawn = log_where_steep(field.value)
    return loss_contour(field.title, field.at, drawn, field.value, theme, text=text, hover=hover, ncontours=12)


def _descent(field: Field, whole: float, k: int, theme: str) -> Trace:
    rows, columns = (index.ravel() for index in np.mgrid[EACH // 2 : len(field.at) : EACH, EACH // 2 : len(field.at) : EACH])
    ways = np.stack((field.across[rows, columns], field.up[rows, columns]), 1)
    length = np.nan_to_num(np.hypot(*ways.T))
    usual = float(np.quantile(length[length > 0], USUAL)) if length.any() else 1.0
    rows, columns, ways, length = (values[length > SHORTEST * usual] for values in (rows, columns, ways, length))
    ways = ways / length[:, None] * (whole * LONGEST_ARROW * np.minimum(length / usual, 1))[:, None]
    middle = np.stack((field.at[columns], field.at[rows]), 1)
    return arrow_lines(f"descent {k}", middle - ways / 2, middle + ways / 2, colour=INK[theme], width=1.2, head=6)
