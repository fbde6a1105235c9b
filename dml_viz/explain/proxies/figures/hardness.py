"""The weight of a pair in a loss of proxies against its similarity, as a share of the largest possible weight."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.figures._edges import class_names, sample_names
from dml_viz.explain.proxies.model import Hardness, Model
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import with_minus_signs
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE
from dml_viz.plot.traces import Trace, line, marks

HEIGHT = 340
MOST_PAIRS = 300  # pairs drawn of each loss at most
MARGIN_SHARE = 0.06  # of the axis, above and below the curves
STYLES = (("solid", "circle", "●", "——"), ("dash", "diamond-open", "◇", "– –"))


def hardness(model: Model, display: Display, names: tuple[str, ...], positive: bool) -> go.Figure:
    """Curves of losses along the similarity of the sample with one proxy, all other pairs fixed, and a mark for every pair.

    ``positive`` pairs are of a sample and its own proxy. Of more than 300 pairs a subset is drawn.
    """
    colour, does = (POSITIVE, "pull") if positive else (NEGATIVE, "push")
    losses = [model.hardness(name, positive) for name in names]
    row, who = model.own_proxy if positive else model.rival, sample_names(display)
    of_row = class_names(display, model.classes[[row]])[0]
    pair = f"{who[model.settings.sample]} and proxy of {of_row}" if row >= 0 else "No such pair"
    traces, heights = [], [np.array((0.0, 1.0))]
    for name, (dash, symbol, *_), loss in zip(names, STYLES, losses, strict=True):
        few = slice(None, None, -(-len(loss.s) // MOST_PAIRS) or 1)
        proxies = class_names(display, model.classes[model.response(name).owners])
        text = [f"{who[i]} and proxy of {proxies[p]}" for i, p in loss.pairs[few].tolist()]
        at = f"{loss.title}: s = %{{x:.3f}}, %{{y:.2%}}<extra></extra>"
        every: Trace = {"symbol": symbol, "size": 7, "text": text, "hover": f"%{{text}}<br>{at}"}
        traces.append(marks(f"{loss.title}, pairs", loss.s[few], loss.shares[few], colour=tint(colour, 0.55), **every))
        heights += [loss.shares, loss.curve]
        if loss.picked >= 0:
            hover = f"{loss.title}: s = %{{x:.2f}}, %{{y:.2%}}<extra></extra>"
            s = np.linspace(-1, 1, len(loss.curve))
            traces.append(line(loss.title, s, loss.curve, colour=INK[display.theme], dash=dash, hover=hover))
            now, edge = [loss.picked], (2, INK[display.theme])
            picked: Trace = {"symbol": symbol, "size": 13, "edge": edge, "hover": f"{pair}<br>{at}"}
            traces.append(marks(f"{loss.title}, now", loss.s[now], loss.shares[now], colour=colour, **picked))
    shares = np.concatenate(heights)
    entries = [
        (f"{dashes} {mark}", colour, f"{loss.title}{_at(loss)}") for (*_, mark, dashes), loss in zip(STYLES, losses, strict=True)
    ]
    x, ends = axis("similarity s of sample and proxy", -1.04, 1.04), (shares.min() - MARGIN_SHARE, shares.max() + MARGIN_SHARE)
    y = axis(f"{does}, share of its maximum", *map(float, ends), tickformat=".0%", zeroline=True, zerolinecolor=EXACT)
    alt = (
        f"{does.capitalize()} against similarity of {len(losses[0].s)} pairs, as a share of the largest possible. {pair}: "
        + "; ".join(f"{loss.title} {_over(loss)}" for loss in losses)
    )
    return chart(traces, entries, x, y, height=HEIGHT, left=58, theme=display.theme, alt=alt + ".")


def _at(loss: Hardness) -> str:
    if loss.picked < 0:
        return ": the sample has no such proxy"
    return with_minus_signs(f": {loss.shares[loss.picked]:.1%} at s = {loss.s[loss.picked]:.2f}")


def _over(loss: Hardness) -> str:
    if loss.picked < 0:
        return "has no such pair"
    return (
        f"from {loss.curve[0]:.1%} at s = -1.00 to {loss.curve[-1]:.1%} at s = 1.00, and {loss.shares[loss.picked]:.1%} "
        f"at its own s = {loss.s[loss.picked]:.2f}"
    )
