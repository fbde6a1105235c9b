"""Curves of losses with proxies: the floor of Proxy-NCA, hardness against weight, whom a step moves, and the way of a flow."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.figures._edges import class_names, class_ticks, sample_names
from dml_viz.explain.proxies.model import Hardness, Model
from dml_viz.explain.proxies.model_bound import MANY_CLASSES, SCALES, least_loss_and_pull
from dml_viz.plot.canvas import Display, axis, chart, number, tint, with_minus_signs, words_of
from dml_viz.plot.style import EXACT, INK, NEGATIVE, PAPER, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, heatmap, horizontal_line_shape, line, marks, vertical_line_shape

HEIGHT, MEAN, OF_LOG = 340, "mean over triplets", "σ = %{x:.2f}: %{y:.1%} of log C"
HEIGHT_OF_PAIRS = 340
MOST_PAIRS = 300  # pairs drawn of each loss at most
MARGIN_OF_MARKS = 0.03  # of the axis, at both ends, which keeps marks whole on a phone
MARGIN_SHARE = 0.06  # of the axis, above and below the curves
STYLES = (("solid", "circle", "●", "——"), ("dash", "diamond-open", "◇", "– –"))
HEIGHT_OF_STEPS = 400
HEIGHT_OF_FLOW = 440
LOWER, UPPER = (0.0, 0.36), (0.5, 1.0)
OF_LOSSES = (("solid", "——"), ("dash", "– –"))


def bound(model: Model, display: Display, *, name: str, along: str) -> go.Figure:
    """The mean over triplets and its bound against the step, the gap between them shaded; an empty figure without a bound."""
    bound, ink = getattr(model, name), INK[display.theme]
    if bound is None:
        alt = "No bound is drawn: it needs 2 classes with a proxy and 2 samples each."
        return chart([], [("", ink, alt)], axis(along), axis(MEAN), height=HEIGHT, theme=display.theme, alt=alt)
    steps, hover = bound.steps, "step %{x}: %{y:.3f}"
    traces = [
        line(MEAN, steps, bound.triplets, colour=ink, hover=hover),
        line("bound", steps, bound.bound, colour=QUERY, hover=hover, fill="tonexty", fillcolor=tint(EXACT, 0.15)),
    ]
    ends = [[number(end, ".3f") for end in curve[[0, -1]].tolist()] for curve in (bound.bound, bound.triplets)]
    words = (
        ("■", QUERY, f"bound, of {bound.distances:,} distances to centroids: {' → '.join(ends[0])}"),
        ("■", ink, f"mean dₐₚ − dₐₙ of {bound.count:,} triplets: {' → '.join(ends[1])}"),
    )
    of_bound, of_triplets = (" to ".join(pair) for pair in ends)
    counted = f"Bound and mean of {bound.count:,} triplets against the {along}, up to {steps[-1]:.0f}."
    alt = f"{counted} Bound: {of_bound}; triplets: {of_triplets}."
    return chart(traces, words, axis(along), axis(MEAN), height=HEIGHT, theme=display.theme, alt=alt)


def floor_of_scale(model: Model, display: Display) -> go.Figure:
    """The least Proxy-NCA loss over log C, and the pull left at it, against the scale, for this and larger numbers of classes."""
    classes_here, scale = max(model.proxy_class_count, 2), model.settings.nca.scale
    at, traces, words = np.array([scale]), [], []
    scales = np.append(SCALES, np.linspace(SCALES[-1], max(scale, SCALES[-1]), len(SCALES))[1:])
    for classes, colour in zip((classes_here, *MANY_CLASSES), (INK[display.theme], QUERY, POSITIVE), strict=True):
        floors, _, pull = least_loss_and_pull(classes, scales)
        least, _, left = least_loss_and_pull(classes, at)[:, 0].tolist()
        shares, named = floors / np.log(classes), f"{classes} classes"
        traces += [
            line(f"pull, {named}", scales, pull, colour=colour, hover="σ = %{x:.2f}: pull %{y:.1%}"),
            line(f"loss, {named}", scales, shares, colour=colour, dash="dot", width=1.5, hover=OF_LOG),
            marks(f"now, {named}", at, np.array([left]), colour=colour, symbol="diamond", size=10),
        ]
        text = f"{classes:,} classes: pull left {number(100 * left, '.3g')}%, least loss {number(least, '.3g')}"
        words.append(("■", colour, text))
    alt = f"Proxy-NCA with the positive kept, at scale {scale:g}, every sample on its own proxy. {words_of(words)}."
    low, high = float(scales[0]), float(scales[-1])
    x = axis("scale σ", low - MARGIN_OF_MARKS * (high - low), high + MARGIN_OF_MARKS * (high - low))
    y = axis("pull; dotted: loss / log C", -0.03, 1.05, tickformat=".0%")
    return chart(traces, words, x, y, height=HEIGHT, theme=display.theme, alt=alt)


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
    return chart(traces, entries, x, y, height=HEIGHT_OF_PAIRS, left=58, theme=display.theme, alt=alt + ".")


def _at(loss: Hardness) -> str:
    if loss.picked < 0:
        return ": the sample has no such proxy"
    return with_minus_signs(f": {round(float(loss.shares[loss.picked]), 3) + 0.0:.1%} at s = {loss.s[loss.picked]:.2f}")


def _over(loss: Hardness) -> str:
    if loss.picked < 0:
        return "has no such pair"
    return (
        f"from {number(loss.curve[0], '.1%')} at s = −1.00 to {number(loss.curve[-1], '.1%')} at s = 1.00, and "
        f"{number(loss.shares[loss.picked], '.1%')} at its own s = {number(loss.s[loss.picked], '.2f')}"
    )


def influence(model: Model, display: Display, name: str) -> go.Figure:
    """Changes of gradients at samples (rows) when samples (columns) move, by class; colours end at the largest.

    ``customdata`` is the number of the sample of each row.
    """
    influence, rows, theme = model.influence[name], model.moved_indices, display.theme
    who, y = [sample_names(display)[k] for k in rows.tolist()], model.y[rows]
    at, most = np.arange(len(rows)), influence.largest
    hover = "%{hovertext}:<br>%{z:.1%} of the largest change<extra></extra>"
    cells = heatmap(influence.title, influence.changes / (most or 1), (PAPER[theme], QUERY), gap=1, hover=hover, x=at, y=at)
    cells["customdata"] = np.broadcast_to(rows[:, None], influence.changes.shape)
    cells["hovertext"] = [[f"gradient at {owner}, when {other} moves" for other in who] for owner in who]
    words = [
        ("■", QUERY, f"<b>{influence.title}</b>; darkest: {number(most, '.3g')} per radian"),
        ("", INK[theme], f"gradients of others that change: {influence.share_changed:.0%}"),
    ]
    ends = (-0.5, len(rows) - 0.5)
    x, y_axis = (
        axis(title, *way, showgrid=False, ticks="", zeroline=False, **class_ticks(y, display))
        for title, way in (("the sample that moves", ends), ("whose gradient changes", ends[::-1]))
    )
    edges, look = (np.flatnonzero(np.diff(y)) + 0.5).tolist(), (INK[theme], 1, "solid")
    shapes = [line(edge, *look) for line in (vertical_line_shape, horizontal_line_shape) for edge in edges]
    alt = (
        f"{influence.title}: table of {len(rows)} by {len(rows)} samples, how much each gradient changes when one sample moves; "
        f"largest {number(most, '.3g')} per radian. {influence.share_changed:.0%} of the gradients of other samples change."
    )
    return chart([cells], words, x, y_axis, height=HEIGHT_OF_STEPS, theme=theme, alt=alt, shapes=shapes)


def flow(model: Model, display: Display) -> go.Figure:
    """Pull (above) and mean cosine to the own proxy (below) of both losses along the steps, with a mark at the settings' step."""
    step, theme = model.settings.step, display.theme
    flows = {flow.states[0].loss.name: flow for flow in model.flows.values()}
    traces = []
    for (dash, _), (title, flow) in zip(OF_LOSSES, flows.items(), strict=True):
        for values, side, colour, what in (
            (flow.pull_shares, "y", POSITIVE, "pull %{y:.1%}"),
            (flow.cosine, "y2", INK[theme], "cosine %{y:.3f}"),
        ):
            hover = f"{title}, step %{{x}}: {what}<extra></extra>"
            steps = np.arange(len(values))
            traces.append(line(title, steps, values, colour=colour, width=2.5, dash=dash, hover=hover, yaxis=side))
            traces.append(marks(f"{title}, now", [step], values[[step]], colour=QUERY, symbol="diamond", yaxis=side))
    low, end = min(float(flow.pull_shares.min()) for flow in flows.values()), len(steps)
    zero = {"zeroline": True, "zerolinecolor": EXACT}
    at = {
        title: [f"pull {number(flow.pull_shares[k], '.1%')}, cosine {number(flow.cosine[k], '.2f')}" for k in (0, step, -1)]
        for title, flow in flows.items()
    }
    entries = [(sign, POSITIVE, f"{title}: {now}") for (_, sign), (title, (_, now, _)) in zip(OF_LOSSES, at.items(), strict=True)]
    changes = "; ".join(f"{title}: from {first} to {last}" for title, (first, _, last) in at.items())
    alt = f"Pull, as a share of its maximum, and mean cosine to the own proxy in {end - 1} steps down the gradient. {changes}."
    x = axis("step", -0.02 * end, 1.02 * end, anchor="y2")
    y = axis("pull, share of maximum", min(low - 0.06, -0.06), 1.08, domain=UPPER, tickformat=".0%", **zero)
    y2 = axis("cosine to own", -1.1, 1.1, domain=LOWER, **zero)
    layout = {"yaxis2": y2, "uirevision": "flow"}
    return chart(traces, entries, x, y, height=HEIGHT_OF_FLOW, theme=theme, alt=alt, left=58, top=52, **layout)
