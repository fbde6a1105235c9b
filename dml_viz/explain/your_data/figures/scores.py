"""The retrieval metrics of all rows, and class by class."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.your_data.model import Model
from dml_viz.plot.canvas import Display, axis, chart, number
from dml_viz.plot.style import EXACT, FAINT, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, line, marks

COLOURS = (QUERY, EXACT)
NAMED, LETTERS = 10, 20  # classes with names, and letters of a name


def scores(model: Model, display: Display) -> go.Figure:
    """A group of bars for each metric, a bar for each file."""
    names = list(model.metrics)
    traces, words, sentences = [], [], []
    for k, (title, short, colour) in enumerate(zip(model.titles, model.short_titles, COLOURS, strict=False)):
        values = [model.metrics[name][k] for name in names]
        text = [f"{value:.3f}" for value in values]
        # Numbers beside bars that lie down: on those that stand, a phone would print them too small to be read.
        more = {"text": text, "textposition": "outside", "cliponaxis": False, "orientation": "h"}
        traces.append(bars(title, values, names, colour=colour, hover=f"{title}<br>%{{y}} %{{x:.4f}}", **more))
        words.append(("■", colour, short))
        sentences.append(f"{title}: " + ", ".join(f"{name} {value:.3f}" for name, value in zip(names, values, strict=True)))
    x, y = axis("over all queries", 0, 1.15), axis("", autorange="reversed", automargin=True)
    alt = f"Retrieval metrics. {'; '.join(sentences)}."
    return chart(traces, words, x, y, height=320, theme=display.theme, alt=alt, barmode="group")


def classes(model: Model, display: Display) -> go.Figure:
    """Mean average precision of each class: in order for one file, or one file against the other."""
    names, values = model.classes
    if not names:
        lines = ("No class has two rows in each file:", "classes are compared by their names.")
        if len(model.files) == 1:
            lines = ("No class has two rows,", "so none has a mean average precision.")
        x, y = (axis("", 0, 1, visible=False) for _ in range(2))
        said = [(" ", FAINT[display.theme], each) for each in lines]
        return chart([], said, x, y, height=100, theme=display.theme, alt=f"0 classes. {' '.join(lines)}")
    if len(model.files) == 1:
        return _in_order(names, values[0], display)
    first, second = values
    better = second > first
    colours, hover = np.where(better, POSITIVE, NEGATIVE).tolist(), "%{text}: %{x:.3f} and %{y:.3f}<extra></extra>"
    dots = marks("classes", first, second, colour=colours, size=8, hover=hover, text=list(names))
    same = line("same", [0, 1], [0, 1], colour=FAINT[display.theme], dash="dot")
    better_in = f"better in {model.short_titles[1]}: {better.sum()} classes"
    words = (("●", POSITIVE, better_in), ("●", NEGATIVE, f"worse, or the same: {(~better).sum()}"))
    change = second - first
    alt = (
        f"Mean average precision of {len(names)} classes in {model.titles[1]} against {model.titles[0]}: {better.sum()} better. "
        f"Largest gain {names[int(change.argmax())]}, {number(float(change.max()), '+.3f')}; least "
        f"{names[int(change.argmin())]}, {number(float(change.min()), '+.3f')}."
    )
    x, y = (axis(f"mAP in {title}", -0.02, 1.02) for title in model.short_titles)
    return chart([same, dots], words, x, y, height=400, theme=display.theme, alt=alt)


def _in_order(names: tuple[str, ...], values: np.ndarray, display: Display) -> go.Figure:
    places = np.arange(1, len(names) + 1)
    hover = "%{text}: %{y:.3f}<extra></extra>"
    dots = marks("classes", places, values, colour=QUERY, size=7, hover=hover, text=list(names))
    worst = ", ".join(f"{name} {value:.3f}" for name, value in zip(names[:3], values[:3], strict=False))
    classes = f"{len(names)} class{'es' * (len(names) != 1)}"
    alt = f"Mean average precision of {classes} in order, from {values[0]:.3f} to {values[-1]:.3f}. Lowest: {worst}."
    few = len(names) <= NAMED
    short = [name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…" for name in names]
    # A slanted tick is left out at the edge.
    ticks = {"tickvals": places, "ticktext": short, "autotickangles": [0, 90]} if few else {}
    x = axis("classes" if few else "classes, lowest first", 0.5, len(names) + 0.5, **ticks)
    return chart([dots], (), x, axis("mAP of the class", -0.02, 1.02), height=400, theme=display.theme, alt=alt)
