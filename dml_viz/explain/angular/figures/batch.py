"""All triangles of a batch: their angles n', how many the bound moves, one pair with all negatives, unequal spreads."""

import math

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, SAMPLE, TRIPLET, angle_words
from dml_viz.explain.angular.model import Model
from dml_viz.explain.angular.model_batch import EDGES
from dml_viz.explain.angular.model_triangle import TIE
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, Row, axis, canvas, chart, counted, key, stacked, tint, words_of
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import TEXT, Trace, bars, line, marks, vertical_line_shape

HEIGHT = 360
DASHES = ("solid", "dash", "dot", "dashdot")
SMALL = 0.05  # a larger share is written in whole percents
PER_BAR = 4  # the finest bins in a bar
SHOWN = (20, 80)  # degrees of alpha
FORM_DASHES = ("solid", "dot", "dash")
NAMES = ("hinge", "logistic, constant kept", "logistic, dropped")
FAN_HIGH, SPREADS_HIGH, MARGIN = 440, 440, {"l": 8, "r": 8, "t": 70, "b": 8}
MOST_NEGATIVES, MOST_PAIRS = 60, 600  # negatives and pairs drawn at most
LEVELS, WIDEST = 12, 9.0  # the number of widths of lines, the widest in pixels
LEAST_SHARE = 1e-3  # of the largest share: a smaller one has no line


def angles(model: Model, display: Display) -> go.Figure:
    """A histogram of n' over the batch's triangles, as shares per degree, coloured above alpha; the chosen triangle is marked."""
    batch, alpha, now, theme = model.batch, model.settings.angular.alpha, model.triangle.angle, display.theme
    total, above, centres = int(batch.counts.sum()), EDGES[:-1] >= alpha, EDGES[:-1:PER_BAR] + 0.5
    per_bar = [np.where(of, batch.counts, 0).reshape(-1, PER_BAR).sum(1) for of in (~above, above)]
    top = max(float((per_bar[0] + per_bar[1]).max()) / total, 1e-3)
    traces = []
    for name, some, colour in zip(("n′ up to α", "n′ above α"), per_bar, (EXACT, NEGATIVE), strict=True):
        hover = f"{name}: %{{customdata:,}} triangles, %{{y:.1%}}<extra></extra>"
        traces.append(bars(name, centres, some / total, colour=colour, width=1.0, customdata=some, hover=hover))
    x, y = np.array([[now], [0.02 * top]])[:, ~np.isnan([now])]
    hover = "the triangle above: %{x:.1f}°<extra></extra>"
    traces.append(marks("the triangle", x, y, colour=QUERY, symbol="diamond", size=13, hover=hover))
    rows = [
        ("■", NEGATIVE, f"<b>{batch.share:.2%} have n′ above α: {batch.active:,} of {total:,}</b>"),
        ("■", EXACT, f"not above; the triplet loss is active on {batch.active_triplet_share:.0%}"),
        ("◆", QUERY, f"the triangle above: {angle_words(now)}"),
    ]
    if batch.points:
        rows.insert(2, ("", INK[theme], f"{batch.points:,} are one point: n′ undefined, drawn at 0°"))
    x = axis("angle n′", 0, 90, tickvals=list(range(0, 91, 15)), ticksuffix="°")
    y = axis("share of triangles", 0, 1.08 * top, tickformat=".0%" if top > SMALL else ".1%")
    alt = (
        f"The angle n′ of {counted(total, 'triangle')}: {batch.active:,} of them, {batch.share:.2%}, above the bound of "
        f"{alpha:g}°. The triplet loss is active on {batch.active_triplet_share:.0%} of the triplets. "
        f"{counted(batch.points, 'triangle is', 'triangles are')} one "
        "point, where n′ is undefined."
    )
    shapes, top_margin = [vertical_line_shape(alpha, INK[theme])], 22 + 18 * len(rows)
    return chart(traces, rows, x, y, height=HEIGHT, theme=theme, alt=alt, top=top_margin, shapes=shapes, barmode="stack")


def dimensions(model: Model, display: Display) -> go.Figure:
    """The share of triangles with n' above each alpha, in this batch and in random ones of several dimensions."""
    alpha, theme = model.settings.angular.alpha, display.theme
    looks = [(QUERY, "solid", 3.5), *((INK[theme], dash, 2.0) for dash in DASHES)]
    traces, rows = [], []
    for (name, batch), (colour, dash, width) in zip(model.batches.items(), looks, strict=False):
        hover = f"{name}: %{{y:.1%}} at α = %{{x:g}}°<extra></extra>"
        traces.append(line(name, EDGES, batch.shares_above_angle, colour=colour, width=width, dash=dash, hover=hover))
        share = float(np.interp(alpha, EDGES, batch.shares_above_angle))
        rows.append((SAMPLE[dash], colour, f"{name}: {share:.2%} (triplet {batch.active_triplet_share:.0%})"))
    x, y = axis("bound α", *SHOWN, ticksuffix="°"), axis("triangles above it", -0.02, 1.03, tickformat=".0%")
    alt = f"The share of triangles above the bound, at {alpha:g}°. {words_of(rows)}."
    shapes, top = [vertical_line_shape(alpha, INK[theme])], 20 + 18 * len(rows)
    return chart(traces, rows, x, y, height=HEIGHT, theme=theme, alt=alt, top=top, shapes=shapes)


def forms(model: Model, display: Display) -> go.Figure:
    """The three forms (hinge, logistic with its constant, logistic without) against the violation, the chosen one in colour."""
    theme, violations, forms, now = display.theme, model.violation_grid, model.forms, model.violation
    values, slopes = list[Trace](), list[Trace]()
    for k, (name, dash) in enumerate(zip(NAMES, FORM_DASHES, strict=True)):
        colour, width = (NEGATIVE, 3.5) if k == model.form else (INK[theme], 1.8)
        hover = f"{name}: %{{y:.3f}}<extra></extra>"
        for row, kind, y in zip((values, slopes), ("value", "slope"), forms[k], strict=True):
            row.append(line(f"{name}, {kind}", violations, y, colour=colour, width=width, dash=dash, hover=hover))
    edges, counts = model.batch.violations, model.batch.spread
    total, centres, hover = int(counts.sum()), (edges[:-1] + edges[1:]) / 2, "%{customdata:,} triangles<extra></extra>"
    spread = bars("triangles", centres, counts / total, colour=EXACT, width=np.diff(edges), customdata=counts, hover=hover)
    at = [vertical_line_shape(0, INK[theme], 1), vertical_line_shape(now, QUERY, dash="solid")]
    pushed = ", ".join(f"{share:.0%}" for share in model.push_share_by_form)
    top = max(float(np.interp(max(now, 2.0), violations, value)) for value, _ in forms)
    solid, dot, dash = (SAMPLE[dash] for dash in FORM_DASHES)
    named = f"<b>Loss</b>: hinge {solid}, logistic: kept {dot}, dropped {dash}"
    rows = (
        Row(named, values, 110, {"range": [-0.05 * top, top]}, at),
        Row(f"<b>Share of full push</b>; batch {pushed}", slopes, 100, {"range": [-0.06, 1.08]}, at),
        Row(f"<b>Where the {counted(total, 'triangle is', 'triangles are')}</b>", [spread], 90, {"tickformat": ".0%"}, at),
    )
    x = axis("d²<sub>ap</sub> − 4 tan²α |x<sub>n</sub> − x<sub>c</sub>|²", *violations[[0, -1]].tolist())
    traces, layout = stacked(rows, x)
    alt = (
        f"Hinge and logistic forms of the angular loss. Over {counted(total, 'triangle')} they give {pushed} of the full "
        f"push (hinge; logistic with its constant; without). The form without has half its push at {2 - 6 * model.t:.2g}, the "
        f"others at 0; this triangle is at {now:.3g}."
    )
    return canvas(traces, layout, theme=theme, alt=alt)


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
    traces += disc.points_by_class(flat, model.y, display.classes, display.who)
    hover = [f"{display.who[k]}: {share:.1%} of the full push" for k, share in zip(points.tolist(), shares.tolist(), strict=True)]
    traces += [
        marks("shares", *flat.places[points].T, colour=NEGATIVE, opacity=0, size=16, hover=TEXT, text=hover, customdata=points),
        disc.rings("anchor and positive", flat.places[[a, p]], 20, POSITIVE, 2),
    ]
    form, many, total = model.settings.angular.form, len(fan.shares), float(fan.shares.sum())
    nearest = f"{display.who[fan.negatives[fan.order[0]]]} has {largest:.0%}" if largest else "none is pushed"
    what = f"{total:.0f} of {many} active" if form == "hinge" else f"{many} together {total:.0%} of the full push"
    words = (
        ("◯", POSITIVE, f"anchor {display.who[a]} and positive {display.who[p]}"),
        ("━", NEGATIVE, f"negatives, {form}: {nearest}"),
        ("", NEGATIVE, what),
    )
    pair = f"{display.who[a]} and {display.who[p]}"
    alt = f"{flat.view.capitalize()} with {pair} and {counted(many, 'negative')}. {form}: {what}; {nearest}."
    layout = disc.layout(FAN_HIGH, MARGIN, 1.2, theme, annotations=[key(*words)], meta={"shares": shares})
    return canvas(traces, layout, theme=theme, alt=alt)


def spreads(model: Model, display: Display) -> go.Figure:
    """Every positive pair by its length and how far its middle is from the nearest negative, with the bounds of both losses.

    The bound of the triplet loss is that for a negative equally far from both ends. ``customdata`` are the ends.
    """
    pairs, loss, triplet = model.positive_pairs, model.settings.angular, model.settings.triplet
    apart = np.linspace(0, 2, 101)

    def bounds_at(length: np.ndarray) -> dict[str, np.ndarray]:
        within = length**2 + triplet.margin if triplet.squared else (length + triplet.margin) ** 2
        return {"angular": length / 2 / math.tan(math.radians(loss.alpha)), "triplet": np.sqrt(within - length**2 / 4)}

    bounds = bounds_at(apart)
    below = {name: bound - pairs.to_negative > TIE for name, bound in bounds_at(pairs.length).items()}
    subset = np.arange(len(pairs.y))
    if len(subset) > MOST_PAIRS:
        subset = np.random.default_rng(0).permutation(len(subset))[:MOST_PAIRS]
    traces = [
        line(f"bound of the {name} loss", apart, bounds[name], colour=colour, width=2.5, dash=dash)
        for name, colour, dash in (("angular", ANGULAR, "solid"), ("triplet", TRIPLET, "dash"))
    ]
    hover = "%{text}<br>apart %{x:.3f}, nearest negative %{y:.3f} from the middle<extra></extra>"
    for group in disc.by_class(pairs.y[subset], display.classes):
        indices = subset[group.members]
        x, y, ends = pairs.length[indices], pairs.to_negative[indices], pairs.ends[:, indices].T
        text = [f"{display.who[i]} and {display.who[j]}" for i, j in ends.tolist()]
        look: Trace = {"colour": group.colour, "symbol": group.symbol, "size": 8, "opacity": 0.8}
        traces.append(marks(group.name, x, y, **look, text=text, customdata=ends, hover=hover))
    counts = {name: f"{int(indices.sum())} of {len(indices)} pairs are below" for name, indices in below.items()}
    words = (
        (SAMPLE["solid"], ANGULAR, f"angular, α = {loss.alpha:g}°: {counts['angular']}"),
        (SAMPLE["dash"], TRIPLET, f"triplet, m = {triplet.margin:g}: {counts['triplet']}"),
    )
    top = max(float(pairs.to_negative.max(initial=1.0)) * 1.1, 1.0)
    alt = (
        f"{counted(len(pairs.y), 'positive pair')} by the distance of their ends and that of the nearest negative from their "
        f"middle. Bounds: {words_of(words)}."
    )
    across = axis("distance of anchor and positive", 0, 1.05 * max(float(pairs.length.max(initial=0.5)), 0.5))
    up = axis("nearest negative, from x<sub>c</sub>", 0, top)
    return chart(traces, words, across, up, height=SPREADS_HIGH, theme=display.theme, alt=alt)
