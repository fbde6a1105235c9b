"""The gradient that is lost where a batch is split, the memory of a step, and what batches hold and how hard they are."""

from dataclasses import astuple

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.batches.model import Model
from dml_viz.explain.batches.model_samplers import FILLINGS, KINDS, SIZES
from dml_viz.plot.canvas import TO_SCALE, Display, axis, canvas, chart, key, note, words_of
from dml_viz.plot.style import CLASS_SIGNS, EXACT, FAINT, INK, NEGATIVE, POSITIVE, class_style
from dml_viz.plot.traces import Trace, bars, heatmap, line, marks, vertical_line_shape

WAYS = (("library", "pytorch-metric-learning", EXACT, "dot"), ("whole", "the whole batch at once", NEGATIVE, "solid"))
MEGABYTES = [lead * 10**power for power in range(5) for lead in (1, 2, 5)]  # ticks
PERCENTS = (1, 2, 5, 10, 20, 50, 100)  # ticks
LINE = 15  # px of a bar: all losses are on the first screen of a laptop
GREYS = "rgb(0,0,0)", "rgb(255,255,255)"
COLUMNS, GAP, LABEL = 2, 5, 4  # columns of small rows; pixels between images; width of a name in images
NAMED = 5  # categories that have names above


def split(model: Model, display: Display) -> go.Figure:
    """A bar for each loss: the cosine of the whole batch's gradient with its parts' mean; a ring: the cosine with chunks."""
    names, parts, chunks = zip(*map(astuple, model.splits), strict=True)
    titles, ink = [f"{name} <b>{cosine:.3f}</b>" for name, cosine in zip(names, parts, strict=True)], INK[display.theme]
    colours = [POSITIVE if cosine > 1 - 1e-6 else EXACT for cosine in parts]
    hover = "%{y}, in chunks: %{x:.6f}<extra></extra>"
    traces = [
        bars("parts", parts, titles, colour=colours, orientation="h", hover="%{y}: %{x:.6f}<extra></extra>"),
        marks("chunks", chunks, titles, colour=ink, symbol="circle-open", size=8, edge=(2, None), hover=hover, cliponaxis=False),
    ]
    words = [
        ("■", EXACT, f"mean of {model.settings.parts} pieces"),
        ("■", POSITIVE, "the same, and nothing is lost"),
        ("○", ink, f"whole, in chunks: {min(chunks):.6f}"),
    ]
    alt = (
        f"Cosine of the gradient of a batch of {model.batch_size} with the mean over {model.settings.parts} pieces: from "
        f"{parts[0]:.3f} ({names[0]}) to {parts[-1]:.3f} ({names[-1]}). In chunks it is at least {min(chunks):.6f}."
    )
    x = axis("cosine with the gradient of the whole batch", min(0.0, *parts), 1.04)
    y = {"automargin": True, "ticks": "", "dtick": 1, "tickfont": {"size": 12}}
    return chart(traces, words, x, y, height=100 + LINE * len(titles), theme=display.theme, alt=alt, bargap=0.12)


def memory(model: Model, display: Display) -> go.Figure:
    """Megabytes of one step against the batch, on logarithmic axes."""
    memory = model.memory
    ways = (*WAYS, ("chunks", f"in chunks of {memory.chunk}", POSITIVE, "solid"))
    traces, words, largest = [], [], int(memory.sizes[-1])
    dots: Trace = {"mode": "lines+markers", "hover": "batch %{x:,}: %{y:,.0f} MB<extra></extra>"}
    for way, name, colour, dash in ways:
        traces.append(line(way, memory.sizes, memory.megabytes[way], colour=colour, dash=dash, width=2.5, **dots))
        sign = "╍" if dash == "dot" else "━"
        words.append((sign, colour, f"{name}: {memory.of_step(largest, way):,.0f} MB at {largest:,}"))
    x = axis("images in the batch", type="log", tickvals=memory.sizes, ticktext=[f"{size:,}" for size in memory.sizes])
    alt = f"Memory of one training step of the conv net. {words_of(words)}."
    y = axis("megabytes", type="log", tickvals=MEGABYTES, ticktext=[f"{tick:,}" for tick in MEGABYTES])
    return chart(traces, words, x, y, height=380, theme=display.theme, alt=alt)


def hardness(model: Model, display: Display) -> go.Figure:
    """The share of active triplets of each way against the step; the chosen way has a wide line."""
    hardness, settings = model.hardness, model.settings
    traces, words = [], []
    for k, (way, name) in enumerate(FILLINGS.items()):
        colour, symbol = class_style(k)
        hover = f"{name}, step %{{x}}: %{{y:.1f}} %<br>nearest negative at %{{text}}<extra></extra>"
        look: Trace = {"mode": "lines+markers", "marker": {"symbol": symbol, "size": 9, "color": colour}, "hover": hover}
        of_points: Trace = {"customdata": [k] * len(hardness.steps), "text": [f"{d:.3f}" for d in hardness.nearest[k]]}
        width = 4 if way == settings.way else 2
        traces.append(line(name, hardness.steps, 100 * hardness.active[k], colour=colour, width=width, **look, **of_points))
        active, nearest = hardness.share_and_distance(way, settings.step)
        words.append((CLASS_SIGNS[symbol], colour, f"{name}: {active:.1%}, nearest negative {nearest:.2f}"))
    x = axis("step", zeroline=False)
    y = axis("active triplets (%)", type="log", tickvals=PERCENTS, ticktext=[*map(str, PERCENTS)])
    here = vertical_line_shape(settings.step, FAINT[display.theme], 6, "solid", layer="below")
    alt = f"Share of active triplets at step {settings.step}: {words_of(words)}."
    return chart(traces, words, x, y, height=430, theme=display.theme, alt=alt, shapes=[here])


def contents(model: Model, display: Display) -> go.Figure:
    """The images, one row for each class, each framed in the colour of its category."""
    batch, ink = model.image_batch, INK[display.theme]
    count, side, _ = batch.images.shape
    _, classes, samples = SIZES[model.settings.data]
    columns = classes * samples // 64 if samples > 4 else COLUMNS
    cell, lines = side + GAP, classes // columns
    wide = columns * (samples + LABEL) * cell
    sheet = np.full((lines * cell, wide), np.nan)
    sets = sorted(set(batch.categories), key=lambda name: (-batch.categories.count(name), name))
    shapes, notes = [], []
    for k in range(count):
        row, number = divmod(k, samples)
        column, line = divmod(row, lines)
        left, top = column * (samples + LABEL) * cell + number * cell, line * cell
        sheet[top : top + side, left : left + side] = batch.images[k]
        colour, _ = class_style(sets.index(batch.categories[k]))
        frame = {"x0": left - 2, "x1": left + side + 1, "y0": top - 2, "y1": top + side + 1}
        shapes.append({"type": "rect", **frame, "line": {"color": colour, "width": 2.5}})
        if number == 0:
            label_at = left + samples * cell + 3, top + side / 2
            notes.append(note(batch.classes[k][:14], *label_at, xanchor="left", font={"size": 12, "color": ink}))
    picture = heatmap("images", sheet, GREYS)
    words = [("■", class_style(k)[0], name) for k, name in enumerate(sets[:NAMED])]
    if len(sets) > NAMED:
        words.append(("", "inherit", f"and {len(sets) - NAMED} more {KINDS[model.settings.data]}"))
    alt = (
        f"A batch of {count} images, {FILLINGS[model.settings.way]}, of {classes} classes and {len(sets)} "
        f"{KINDS[model.settings.data]}: {', '.join(dict.fromkeys(batch.classes))}."
    )
    body = {
        "height": 70 + 18 * len(words) + 42 * lines,
        "margin": {"l": 8, "r": 8, "t": 20 + 18 * len(words), "b": 8},
        "xaxis": {**TO_SCALE, "zeroline": False},
        "yaxis": {**TO_SCALE, "autorange": "reversed", "scaleanchor": "x", "zeroline": False},
        "shapes": shapes,
        "annotations": [*notes, key(*words)],
    }
    return canvas([picture], body, theme=display.theme, alt=alt)
