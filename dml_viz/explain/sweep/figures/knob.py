"""The figures of a sweep: scores against one knob, on a map of two, and over steps; and what chance alone would give."""

import re
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import Display, axis, canvas, chart, key, note, score, tint
from dml_viz.plot.style import EXACT, FAINT, INK, NEGATIVE, PAPER, POSITIVE, class_style
from dml_viz.plot.traces import band, bars, heatmap, joined_marks, marks, vertical_line_shape

ROOM = 0.08  # of the height, above and below the scores
HALF = 0.48  # of a cell's width, from its middle to the outline of an empty cell
BINS = 30
MOST = 12  # lines
NARROW = 44  # letters of a line that fit into a figure on a phone


def scale(model: Model, k: int) -> np.ndarray:
    """The positions of an axis's values: numbers as they are; names are evenly spaced."""
    values = model.sweep.axes[k].values
    named = not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return np.arange(len(values), dtype=float) if named else np.array(values, float)


def is_logarithmic(places: np.ndarray) -> bool:
    """Whether the axis of these positions is logarithmic, because they grow by factors."""
    return bool(places.min() > 0 and places.max() >= 10 * places.min())


def across(model: Model, k: int, *, ready: bool) -> dict[str, Any]:
    """Properties of the axis of a knob's values; in full width until the figure is ``ready``, with results to show."""
    places = scale(model, k)
    kind, drawn = ("log", np.log10(places)) if is_logarithmic(places) else ("linear", places)
    room = 0.05 * float(drawn[-1] - drawn[0])
    ends = () if ready else (float(drawn[0]) - room, float(drawn[-1]) + room)
    names = {"tickvals": places.tolist(), "ticktext": model.value_names(k)}
    return axis(model.sweep.titles[k], *ends, type=kind, **names, showgrid=False)


def waiting_note(model: Model, theme: str, *lines: str, ready: bool) -> list[dict[str, Any]]:
    """The annotation in the middle of a figure that is not ``ready``: why, and what will be there once runs end."""
    sentences = re.split(r"(?<=\.) ", model.why_incomplete)
    text = "<br>".join(line for part in (*sentences, *(lines if model.waits else ())) for line in wrap(part, NARROW))
    look = {"xref": "paper", "yref": "paper", "align": "center", "font": {"size": 14}, "bgcolor": PAPER[theme]}
    return [] if ready else [note(text, 0.5, 0.5, **look)]


def knob(model: Model, display: Display) -> go.Figure:
    """The score over the values of the first knob; each point of a seed is a run, its number is ``customdata``."""
    count = len(model.sweep.axes[0].values)
    places, cells, origin = scale(model, 0), len(model.sweep.cells), model.sweep.run.seed
    scores = model.scores_now.reshape(count, -1, model.sweep.seeds).mean(1)
    words = [("—", EXACT, "one seed each"), ("●", POSITIVE, f"mean, {model.scored_data}")]
    traces: list[dict[str, Any]] = []
    for seed, values in enumerate(scores.T):
        runs = (np.arange(0, cells, cells // count) + seed * cells).tolist()
        hover = f"seed {origin + seed}: %{{y:.3f}}<extra></extra>"
        name, faint = f"seed {origin + seed}", tint(EXACT, 0.75)
        traces.append(joined_marks(name, places, values, colour=faint, width=1, size=5, customdata=runs, hover=hover))
    effect = next(iter(model.effects), None)
    if effect:
        if np.isfinite(effect.half_widths).all():
            traces.append(band("interval", places, *effect.intervals_of_means, POSITIVE, 0.2))
            words.append(("■", POSITIVE, "band: 95 % interval, paired by seed"))
        hover = "mean %{y:.3f}<extra></extra>"
        traces.append(joined_marks("mean", places, effect.means, colour=POSITIVE, width=3, size=8, hover=hover))
    values = np.concatenate([np.ravel(trace["y"]) for trace in traces])
    values = values[np.isfinite(values)] if np.isfinite(values).any() else np.array([0.0, 1.0])
    room = max(ROOM * float(np.ptp(values)), 0.01)
    y = axis(f"{model.score_name}, {model.scored_data}", float(values.min()) - room, float(values.max()) + 2 * room)
    data, published = model.sweep.knobs[0].published
    if published:
        words.append(("▾", INK[display.theme], f"published R@1 on {data} in percent, at the value tried there"))
    means = "; ".join(
        f"{value} {score(mean)}" for value, mean in zip(model.value_names(0), effect.means if effect else (), strict=False)
    )
    alt = (
        f"{model.score_on_data} at {model.when} against {model.sweep.titles[0]}, {count} values and "
        f"{model.seeds_in_words}. {f'Means: {means}.' if means else model.why_incomplete}"
    )
    lines, ready = (f"Here will be {model.score_name} at each value,", "a line for each seed."), bool(np.isfinite(scores).any())
    at_top = _published(model, published, places, INK[display.theme])
    notes = [key(*words), *at_top, *waiting_note(model, display.theme, *lines, ready=ready)]
    # A zoom into other values is not kept.
    layout: dict[str, Any] = {"annotations": notes, "uirevision": model.sweep.axes[0].write()}
    return chart(traces, words, across(model, 0, ready=ready), y, height=400, theme=display.theme, alt=alt, **layout)


def _published(model: Model, published: dict[float, float], places: np.ndarray, ink: str) -> list[dict[str, Any]]:
    """A mark at the top for each published value within the range of the tried ones."""
    values = [float(value) for value in model.sweep.axes[0].values] if published else []
    font = {"size": 11, "color": ink}
    place = np.log10 if is_logarithmic(places) else float  # as Plotly wants it of a note
    return [
        note(f"{recall:g}<br>▾", float(place(value)), 1, yref="y domain", yanchor="top", font=font)
        for value, recall in published.items()
        if values and min(values) <= value <= max(values)
    ]


def lines(model: Model, display: Display) -> go.Figure:
    """The mean over seeds for each value of the named knob, with its 95 % interval; ``customdata`` is the number of a run."""
    along = model.numbered_axis
    places, named = scale(model, along), model.value_names(along)
    cells = np.moveaxis(np.arange(len(model.sweep.cells)).reshape(model.sweep.shape[0], -1), along, -1)  # (lines, values)
    traces = []
    for k, (effect, of) in enumerate(zip(model.lines, cells, strict=False)):
        colour, symbol = class_style(k)
        look: dict[str, Any] = {"colour": colour, "symbol": symbol}
        for seed, values in zip(model.complete_seeds.tolist(), effect.by_block, strict=True):
            of_seed = f"{effect.title}, seed {model.sweep.run.seed + seed}"
            hover = f"{of_seed}: %{{y:.3f}}<extra></extra>"
            of_run = {"colour": tint(colour, 0.45), "size": 4, "customdata": (of + seed * len(model.sweep.cells)).tolist()}
            traces.append(marks(of_seed, places, values, **{**look, **of_run}, hover=hover, showlegend=False))
        traces.append(band(f"{effect.title}, interval", places, *effect.intervals_of_means, colour, 0.13, showlegend=False))
        hover = f"{effect.title}: mean %{{y:.3f}}<extra></extra>"
        look |= {"width": 2.5, "size": 8, "hover": hover, "customdata": of.tolist(), "showlegend": True}
        traces.append(joined_marks(effect.title, places, effect.means, **look))
    each = "; ".join(f"{line_effect.title} {', '.join(map(score, line_effect.means.tolist()))}" for line_effect in model.lines)
    alt = (
        f"{model.score_on_data} at {model.when} against {model.sweep.titles[along]} "
        f"({', '.join(named)}), {model.seeds_in_words}. Means: {each or 'none'}."
    )
    ready = bool(model.lines)
    x, y = across(model, along, ready=ready), axis(f"{model.score_name}, {model.scored_data}", *(() if ready else (0, 1)))
    words = f"Here will be {model.score_name} at each value,", f"a line for each {model.sweep.titles[along == 0]}."
    layout: dict[str, Any] = {"annotations": waiting_note(model, display.theme, *words, ready=ready), "showlegend": True}
    layout["uirevision"] = model.sweep.axes[along].write()
    return chart(traces, (), x, y, height=400, theme=display.theme, alt=alt, top=54, **layout)


def grid(model: Model, display: Display) -> go.Figure:
    """The mean of the score in each cell, the first knob upwards; ``customdata`` is the number of its first run."""
    theme, shape = display.theme, model.sweep.shape
    averaged = model.averaged_runs
    sums = np.where(averaged, model.scores_now, 0).sum(1)
    means = np.where(averaged.any(1), sums / averaged.sum(1).clip(1), np.nan)
    if len(shape) == 1:
        means, shape = means[:, None], (shape[0], 1)
    means = means.reshape(shape)
    finite = means[np.isfinite(means)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    across = model.value_names(1) if len(model.sweep.axes) > 1 else [""]
    text = np.where(np.isfinite(means), np.char.mod("%.3f", np.nan_to_num(means)), "")
    colours, hover = (tint(POSITIVE, 0.04), tint(POSITIVE, 0.75)), "%{y}, %{x}: %{z:.3f}<extra></extra>"
    numbers = {"text": text, "texttemplate": "%{text}", "textfont": {"color": INK[theme], "size": 12}}
    runs = {"x": across, "y": model.value_names(0), "customdata": np.arange(means.size).reshape(shape)}
    bar = {"showscale": True, "colorbar": {"title": {"text": model.score_name}, "thickness": 12}}
    ends = low, max(high, low + 1e-6)
    trace = heatmap("mean over seeds", means, colours, ends, gap=2, hover=hover, **runs, **numbers, **bar)
    titles = (*model.sweep.titles, "")
    finished_cells = f"{len(finite)} of {means.size} cells" + (f", from {score(low)} to {score(high)}" if len(finite) else "")
    alt = f"{model.score_on_data} at {model.when} over {titles[0]} and {titles[1]}: {finished_cells}{model.averaging}."
    x, y = (
        axis(title, -0.5, len(names) - 0.5, type="category", categoryarray=names, showgrid=False)
        for title, names in ((titles[1] + model.averaging, across), (titles[0], model.value_names(0)))
    )
    edge = {"type": "rect", "layer": "below", "line": {"color": FAINT[theme], "width": 1}}
    empty = np.argwhere(~np.isfinite(means)).tolist()
    missing = [{**edge, "x0": k - HALF, "x1": k + HALF, "y0": r - HALF, "y1": r + HALF} for r, k in empty]
    words = f"A cell will show {model.score_name},", f"the mean over {model.sweep.seeds} seeds."
    notes = waiting_note(model, theme, *words, ready=len(finite) > 0)
    layout = {"height": 400, "margin": {"l": 60, "r": 12, "t": 16, "b": 46}, "shapes": missing, "annotations": notes}
    return canvas([trace], {**layout, "xaxis": x, "yaxis": y}, theme=theme, alt=alt)


def chance(model: Model, display: Display) -> go.Figure:
    """A histogram of the moves under shuffles of the first knob's values, with the measured move."""
    x, y = axis(f"{model.score_name} between the least and the greatest mean"), axis("share of shuffles (%)")
    if not model.effects:
        alt = f"{model.score_name} at {len(model.sweep.cells)} values: nothing is shuffled. {model.why_incomplete}"
        notes = waiting_note(model, display.theme, "Then its values can be shuffled.", ready=False)
        return chart([], (), x, y, height=340, theme=display.theme, alt=alt, annotations=notes)
    effect = model.effects[0]
    shuffled, moves = effect.shuffled, effect.difference
    counts, edges = np.histogram(shuffled, BINS, range=(0, max(float(shuffled.max()), moves, 1e-6) * 1.05))
    share = 100 * counts / len(shuffled)
    traces = [bars("shuffled", (edges[:-1] + edges[1:]) / 2, share, colour=EXACT, hover="%{y:.1f} %<extra></extra>")]
    p = model.share_by_chance
    words = (
        ("■", EXACT, f"{effect.title}: values shuffled {len(shuffled):,} times"),
        ("", EXACT, f"within {effect.shuffled_within}"),
        ("|", NEGATIVE, f"measured: {score(moves)}; chance does as much in {p} of cases"),
    )
    alt = (
        f"How far shuffled values of {effect.title} move {model.score_name}: {score(float(np.median(shuffled)))} at the median "
        f"of {len(shuffled)} shuffles. Measured: {score(moves)}, which chance reaches in {p} of cases."
    )
    measured = vertical_line_shape(moves, NEGATIVE, 3, "solid")
    return chart(traces, words, x, y, height=340, theme=display.theme, alt=alt, shapes=[measured])


def course(model: Model, display: Display) -> go.Figure:
    """The mean over seeds of up to a dozen cells, from the start to the end; the look shown is marked."""
    ink, of_images = INK[display.theme], model.sweep.equal == "images"
    cells = np.unique(np.linspace(0, len(model.course) - 1, min(MOST, len(model.course))).round().astype(int))
    traces, ends = [], []
    for k, cell in enumerate(cells.tolist()):
        averaged = model.averaged_runs[cell]
        if not averaged.any():
            continue
        colour, symbol = class_style(k)
        means = model.course[cell][averaged].mean(0)
        label = model.cell_in_words(cell)
        hover = f"{label}: %{{y:.3f}}<extra></extra>"
        x = model.looks_along(model.sweep.run_of(model.sweep.cells[cell]))
        traces.append(joined_marks(label, x, means, colour=colour, symbol=symbol, size=6, hover=hover, showlegend=True))
        ends.append(f"{label} {score(float(means[-1]))}")
    ending = "; ".join(ends) or "none"
    left_out = f" of {len(model.course)} values" if len(cells) < len(model.course) else ""
    of_lines = f"{len(ends)} {'line' if len(ends) == 1 else 'lines'}{left_out}"
    along = "the share of the images seen" if of_images else "the steps"
    alt = f"{model.score_on_data} against {along}, {of_lines}, at the end: {ending}{model.averaging}."
    notes = (f"; {len(cells)}{left_out} are drawn" if left_out else "") + model.averaging
    bottom, left = (
        axis(("share of the images seen (%)" if of_images else "step") + notes),
        axis(f"{model.score_name}, {model.scored_data}"),
    )
    words = f"Here will be {model.score_name} over {along},", "a line for each value."
    layout: dict[str, Any] = {"annotations": waiting_note(model, display.theme, *words, ready=bool(ends)), "showlegend": True}
    layout["shapes"] = [vertical_line_shape(float(model.looks_along(model.sweep.run)[model.settings.look]), ink, 1)]
    return chart(traces, (), bottom, left, height=340, theme=display.theme, alt=alt, top=54, **layout)
