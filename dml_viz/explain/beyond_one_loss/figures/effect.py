"""What trained runs show: scores without and with a method, scores by each way to search, and what a learnt sampler draws."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_compared import Way
from dml_viz.explain.beyond_one_loss.model_training import SCORES
from dml_viz.plot.canvas import Display, axis, canvas, chart, heading, score, tint
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE
from dml_viz.plot.traces import Trace, heatmap, joined_marks, line, marks

APART = 2.6  # from the places of one score to those of the next; those of one score are 1 apart
SPARE = 0.02  # of the scores' axis, below the least and above the greatest
PANELS = ((0.0, 0.4), (0.6, 1.0))  # shares of the width, with room for an axis on a phone
BITS = (2, 4, 8, 16, 32)  # that have a tick
SYMBOLS, SIGNS = ("circle", "square", "diamond", "cross", "x"), "●■◆✚✖"
WHOLE = "whole rows"
CELLS = 8  # classes up to which a cell has its number
TABLES = ((0.0, 0.44), (0.56, 1.0))  # shares of the width
NOUN = "class "  # which the axes say
TITLES = ("drawn next (%)", "within the margin (%)")


def effect(model: Model, display: Display) -> go.Figure:
    """The scores on unseen classes of each seed, without and with the method, and the means."""
    title, against = type(model.settings.method).title.lower(), model.settings.baseline_name
    effects, traces = model.comparison.effects, list[Trace]()
    places = {name: np.array([0.0, 1.0]) + APART * k for k, name in enumerate(SCORES)}
    words = [("—", EXACT, "one seed each"), ("●", POSITIVE, "mean over seeds")]
    sentences = []
    for name, of_score in effects.items():
        x, called = places[name], SCORES[name]
        for seed, values in enumerate(of_score.by_block):
            hover, faint = f"seed {seed}: {called} %{{y:.3f}}<extra></extra>", tint(EXACT, 0.75)
            traces.append(joined_marks(f"{called}, seed {seed}", x, values, colour=faint, width=1.5, size=6, hover=hover))
        hover = f"mean {called} %{{y:.3f}}<extra></extra>"
        traces.append(joined_marks(f"{called}, mean", x, of_score.means, colour=POSITIVE, width=3, size=9, hover=hover))
        before, with_method = map(score, of_score.means.tolist())
        ends = " and ".join(map(score, (of_score.by_block[:, 0].min(), of_score.by_block[:, 0].max())))
        sentences.append(f"{called} {before} for {against}, {with_method} with it; without it runs lie between {ends}")
    alt = f"Unseen classes after {model.settings.run.steps} steps, {title}: {'. '.join(sentences)}."
    ends_of = [of_score.by_block for of_score in effects.values()]
    if not effects:
        ends_of = model.comparison.scores_without_method
        for (name, x), values in zip(places.items(), ends_of, strict=False):
            hover = f"seed %{{pointNumber}}: {SCORES[name]} %{{y:.3f}}<extra></extra>"
            traces.append(
                marks(f"{SCORES[name]}, {against}", np.repeat(x[0], len(values)), values, colour=EXACT, size=6, hover=hover)
            )
        alt = model.comparison.recorded_in_words
        words = [("●", EXACT, "one seed each")] * bool(ends_of) + [("", EXACT, alt)]
    low, high = (float(np.min(ends_of)), float(np.max(ends_of))) if ends_of else (0.0, 1.0)
    ticks = [f"{side}<br>{SCORES[name]}" for name in SCORES for side in (against, "with it")]
    at = np.concatenate([*places.values()]).tolist()
    bottom = axis("", -0.5, APART + 1.5, tickvals=at, ticktext=ticks, showgrid=False, tickangle=0)
    left = axis("score, unseen classes", low - SPARE, high + SPARE)
    return chart(traces, words, bottom, left, height=340, theme=display.theme, alt=alt)


def ways(model: Model, display: Display) -> go.Figure:
    """The mean scores over seeds by each way to search, mAP on the left and R@1 on the right."""
    searches = model.comparison.ways
    numbers = sorted({way.words for way in searches if way.words})
    traces, words = list[Trace](), [("—", EXACT, "by whole rows")]
    words.append(("●", POSITIVE, "by codes" if numbers else "by one slice"))
    if numbers:
        each = ", ".join(f"{sign} {count}" for sign, count in zip(SIGNS, numbers, strict=False))
        words.append(("", EXACT, f"{each} codewords for a slice"))
    means_in_words = []
    for column, name in enumerate(SCORES.values()):
        axes: dict[str, Any] = {"xaxis": f"x{column + 1}", "yaxis": f"y{column + 1}"} if column else {}
        if numbers:
            traces += _by_bits(searches, column, name, numbers, axes)
        else:
            means = [float(way.scores[:, column].mean()) for way in searches]
            names = [way.name for way in searches]
            at = np.repeat(names, len(searches[0].scores) if searches else 0)
            of_seeds = np.concatenate([np.zeros(0), *(way.scores[:, column] for way in searches)])
            hover, marked = f"%{{x}}: mean {name} %{{y:.3f}}<extra></extra>", {"mode": "markers", **axes}
            traces.append(joined_marks(f"{name} of each seed", at, of_seeds, colour=tint(EXACT, 0.6), size=5, **marked))
            traces.append(joined_marks(f"mean {name}", names, means, colour=POSITIVE, size=11, hover=hover, **marked))
            if means:
                whole = [means[0]] * len(names)
                traces.append(line(f"{name} by whole rows", names, whole, colour=EXACT, width=1.5, dash="dash", **axes))
        means_in_words += [f"{name} {_named_way(way)} {score(float(way.scores[:, column].mean()))}" for way in searches]
    alt = f"Unseen classes, means over seeds: {'; '.join(means_in_words)}."
    bottom = axis("bits of a code", type="log", tickvals=BITS) if numbers else axis("")
    x, x2 = ({**bottom, "domain": domain, "anchor": f"y{k}"} for k, domain in enumerate(PANELS, 1))
    y, y2 = (axis(f"{name}, unseen classes", rangemode="tozero", anchor=f"x{k}") for k, name in enumerate(SCORES.values(), 1))
    return chart(traces, words, x, y, height=340, theme=display.theme, alt=alt, xaxis2=x2, yaxis2=y2)


def _by_bits(searches: tuple[Way, ...], column: int, name: str, numbers: list[int], axes: dict[str, Any]) -> list[Trace]:
    """A line of codes for each number of codewords, and of whole rows over all, against the bits of a code."""
    whole = sorted((way for way in searches if way.name == WHOLE), key=lambda way: way.bits)
    look: dict[str, Any] = {"colour": EXACT, "mode": "markers", "symbol": "line-ew-open", "size": 12}
    curves = [(f"{name} by whole rows", "bits in training, whole rows", whole, look)]
    for count, symbol in zip(numbers, SYMBOLS, strict=False):
        coded = [way for way in searches if way.name != WHOLE and way.words == count]
        look = {"colour": POSITIVE, "symbol": symbol, "size": 9}
        curves.append((f"{name}, {count} codewords", f"bits, {count} codewords", coded, look))
    traces = []
    for title, what, found, look in curves:
        bits, scores = [way.bits for way in found], [way.scores[:, column].mean() for way in found]
        hover = f"%{{x:g}} {what}: {name} %{{y:.3f}}<extra></extra>"
        traces.append(joined_marks(title, bits, scores, hover=hover, **look, **axes))
    return traces


def _named_way(way: Way) -> str:
    return f"by {way.name}" + (f" at {way.bits:g} bits" if way.bits else "")


def policy(model: Model, display: Display) -> go.Figure:
    """How often a class is drawn next after another, on the left, and the share of their triplets that are active."""
    theme, tables = display.theme, model.learnt_class_sampling
    if tables is None:
        return canvas([], {"height": 120}, theme=theme, alt="This method learns no sampler.")
    names = [display.classes[label].removeprefix(NOUN) for label in np.unique(model.y).tolist()]
    many = len(names)
    traces, notes = list[dict[str, Any]](), []
    layout: dict[str, Any] = {"height": 340, "margin": {"l": 50, "r": 12, "t": 34, "b": 46}}
    text = {"texttemplate": "%{z:.0f}", "textfont": {"color": INK[theme], "size": 14}} if many <= CELLS else {}
    ticks = {"type": "category", "categoryarray": names, "showgrid": False, "ticks": ""}
    for panel, (table, title, colour) in enumerate(zip(tables, TITLES, (POSITIVE, NEGATIVE), strict=True)):
        number, colours = str(panel + 1) if panel else "", (tint(colour, 0.04), tint(colour, 0.75))
        at = {"x": names, "y": names, "xaxis": f"x{number}", "yaxis": f"y{number}"}
        hover = "%{y}, then %{x}: %{z:.3g} %<extra></extra>"
        traces.append(heatmap(title, 100 * table, colours, (0, 100), gap=2, hover=hover, **at, **text))
        across = axis("other class", -0.5, many - 0.5, **ticks)
        down = axis("" if panel else "first class", many - 0.5, -0.5, **ticks)
        layout[f"xaxis{number}"] = {**across, "domain": TABLES[panel], "anchor": f"y{number}"}
        layout[f"yaxis{number}"] = {**down, "anchor": f"x{number}"}
        notes.append(heading(title, TABLES[panel][0], 1, yshift=4))
    return canvas(traces, {**layout, "annotations": notes}, theme=theme, alt=_alt(model, names))


def _alt(model: Model, names: list[str]) -> str:
    assert model.learnt_class_sampling is not None
    shares, active = model.learnt_class_sampling
    rows = [
        f"{names[first]} then {names[other]} {100 * shares[first, other]:.0f} % and {100 * active[first, other]:.0f} %"
        for first, other in np.argwhere(np.isfinite(active)).tolist()
    ]
    cells = "; ".join(rows) if len(names) <= CELLS else f"a table of {len(names)} classes"
    return f"After {model.settings.step} steps, how often a class is drawn next, and its triplets within the margin: {cells}."
