"""The distances of positive and of negative pairs."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.your_data.model import Model
from dml_viz.plot.canvas import Display, axis, chart
from dml_viz.plot.style import NEGATIVE, POSITIVE
from dml_viz.plot.traces import line

DASHES = ("solid", "dot")


def distances(model: Model, display: Display) -> go.Figure:
    """Densities of the distances between drawn rows, dotted for the second file."""
    edges, densities = model.distances
    middles = (edges[:-1] + edges[1:]) / 2
    traces, words, sentences = [], [], []
    for title, short, dash, sides in zip(model.titles, model.short_titles, DASHES, densities, strict=False):
        for side, colour, density in zip(("positive", "negative"), (POSITIVE, NEGATIVE), sides, strict=True):
            name = f"{side} pairs of {short}"
            traces.append(line(name, middles, density, colour=colour, dash=dash, shape="hvh", hover=f"{name}: %{{y:.2f}}"))
            words.append(("—" if dash == "solid" else "···", colour, name))
        means = [float((middles * density).sum() / max(density.sum(), 1e-12)) for density in sides]
        overlap = float(np.minimum(*sides).sum() * (edges[1] - edges[0]))
        sentences.append(
            f"{title}: positive pairs at {means[0]:.2f} on average, negative at {means[1]:.2f}, {overlap:.0%} overlap"
        )
    x = axis("distance of two rows of length 1", 0, 2)
    alt = f"Densities of distances of the points drawn. {'; '.join(sentences)}."
    return chart(traces, words, x, axis("density"), height=400, theme=display.theme, alt=alt)
