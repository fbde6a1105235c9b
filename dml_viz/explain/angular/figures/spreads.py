"""A positive pair with all its negatives, and all positive pairs of the batch against both bounds."""

import math

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, SAMPLE, TRIPLET
from dml_viz.explain.angular.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import axis, canvas, chart, key, tint
from dml_viz.plot.display import Display
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import NEGATIVE, POSITIVE
from dml_viz.plot.traces import TEXT, Trace, line, marks

FAN_HIGH, SPREADS_HIGH, MARGIN = 440, 440, {"l": 8, "r": 8, "t": 70, "b": 8}
MOST_NEGATIVES, MOST_PAIRS = 60, 600  # negatives and pairs drawn at most
LEVELS, WIDEST = 12, 9.0  # the number of widths of lines, the widest in pixels
LEAST_SHARE = 1e-3  # of the largest share: a smaller one has no line


def fan(model: Model, display: Display) -> go.Figure:
    """The pair, and a line from its middle to each negative, as wide as its share of the pair's push on all negatives.

    Only the heaviest are drawn. In trace "shares" ``customdata`` are the points; ``layout.meta["shares"]`` are their shares.
    """
    fan, theme, (a, p, _) = model.fan, display.theme, model.settings.roles
    flat = flatten(model.z, np.zeros_like(model.z), a, model.embeddings.plane)
    largest = float(fan.shares.max(initial=0))
    heaviest = [k for k in fan.order[:MOST_NEGATIVES].tolist() if fan.shares[k] > LEAST_SHARE * largest]
    points, shares = fan.negatives[heaviest], fan.shares[heaviest]
    middle = flat.places[[a, p]].mean(0)
    lines = np.stack(np.broadcast_arrays(middle, flat.places[points]), 1).reshape(-1, 2, 2)
    levels = np.ceil(LEVELS * shares / (largest or 1)).astype(int)
    traces = [
        line("share of the push", x, y, colour=tint(NEGATIVE, 0.7), width=WIDEST * level / LEVELS)
        for (level,), x, y in disc.bundles(lines, levels)
    ]
    traces.append(line("pair", *flat.places[[a, p]].T, colour=POSITIVE, width=4))
    traces += [disc.points(flat, group, display.who) for group in disc.by_class(model.y, display.classes)]
    hover = [f"{display.who[k]}: {share:.1%} of the full push" for k, share in zip(points.tolist(), shares.tolist(), strict=True)]
    traces += [
        marks("shares", *flat.places[points].T, colour=NEGATIVE, opacity=0, size=16, hover=TEXT, text=hover, customdata=points),
        disc.rings("anchor and positive", flat.places[[a, p]], 20, POSITIVE, 2),
    ]
    form, many, total = model.settings.angular.form, len(fan.shares), float(fan.shares.sum())
    nearest = f"{display.who[fan.negatives[fan.order[0]]]} has {largest:.0%}" if largest else "none is pushed"
    what = f"{total:.0f} of {many} active" if form == "hinge" else f"all {many} together {total:.0%} of the full push"
    words = (
        ("◯", POSITIVE, f"anchor {display.who[a]} and positive {display.who[p]}"),
        ("━", NEGATIVE, f"negatives, {form}: {nearest}"),
        ("", NEGATIVE, what),
    )
    pair = f"{display.who[a]} and {display.who[p]}"
    alt = f"{flat.view.capitalize()} with {pair} and their {many} negatives. {form}: {what}; {nearest}."
    layout = disc.layout(FAN_HIGH, MARGIN, 1.2, theme, annotations=[key(*words)], meta={"shares": shares})
    return canvas(traces, layout, theme=theme, alt=alt)


def spreads(model: Model, display: Display) -> go.Figure:
    """Every positive pair by its length and how far its middle is from the nearest negative, with the bounds of both losses.

    The bound of the triplet loss is that for a negative equally far from both ends. ``customdata`` are the ends.
    """
    spreads, loss, triplet = model.spreads, model.settings.angular, model.settings.triplet
    apart = np.linspace(0, 2, 101)
    bounds = {
        "angular": apart / 2 / math.tan(math.radians(loss.alpha)),
        "triplet": np.sqrt((apart**2 + triplet.margin if triplet.squared else (apart + triplet.margin) ** 2) - apart**2 / 4),
    }
    below = {name: spreads.nearest < np.interp(spreads.apart, apart, bound) for name, bound in bounds.items()}
    pairs = np.arange(len(spreads.y))
    if len(pairs) > MOST_PAIRS:
        pairs = np.random.default_rng(0).permutation(len(pairs))[:MOST_PAIRS]
    traces = [
        line(f"bound of the {name} loss", apart, bounds[name], colour=colour, width=2.5, dash=dash)
        for name, colour, dash in (("angular", ANGULAR, "solid"), ("triplet", TRIPLET, "dash"))
    ]
    hover = "%{text}<br>apart %{x:.3f}, nearest negative %{y:.3f} from the middle<extra></extra>"
    for group in disc.by_class(spreads.y[pairs], display.classes):
        indices = pairs[group.members]
        x, y, ends = spreads.apart[indices], spreads.nearest[indices], spreads.pairs[:, indices].T
        text = [f"{display.who[i]} and {display.who[j]}" for i, j in ends.tolist()]
        look: Trace = {"colour": group.colour, "symbol": group.symbol, "size": 8, "opacity": 0.8}
        traces.append(marks(group.name, x, y, **look, text=text, customdata=ends, hover=hover))
    counts = {name: f"{int(indices.sum())} of {len(indices)} pairs are below" for name, indices in below.items()}
    words = (
        (SAMPLE["solid"], ANGULAR, f"angular, α = {loss.alpha:g}°: {counts['angular']}"),
        (SAMPLE["dash"], TRIPLET, f"triplet, m = {triplet.margin:g}: {counts['triplet']}"),
    )
    top = max(float(spreads.nearest.max(initial=1.0)) * 1.1, 1.0)
    alt = (
        f"{len(spreads.y)} positive pairs by the distance of their ends and that of the nearest negative from their middle. "
        f"Bounds: {words[0][2]}; {words[1][2]}."
    )
    across = axis("distance of anchor and positive", 0, 1.05 * max(float(spreads.apart.max(initial=0.5)), 0.5))
    up = axis("nearest negative, from x<sub>c</sub>", 0, top)
    return chart(traces, words, across, up, height=SPREADS_HIGH, theme=display.theme, alt=alt)
