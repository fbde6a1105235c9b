"""The pairs of a batch by similarity and weight."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import key
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, NEGATIVE, POSITIVE
from dml_viz.plot.weight_curve import weight_figure, weight_words

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model

MOST, SEED = 1500, 0  # pairs that are drawn as marks; the seed that chooses half of them from more
TALL = 500  # pixels, beside the points
KINDS = (("●", POSITIVE, "positive"), ("✕", NEGATIVE, "negative"))


def weights(model: "Model", display: Display) -> go.Figure:
    """The weight of each pair against its similarity; of too many pairs, those with the largest weights and as many others."""
    found, who = model.response, display.who
    drawn = np.arange(len(found.ends))
    if len(drawn) > MOST:
        heaviest = np.argsort(-np.abs(found.pair_weights), kind="stable")
        others = np.random.default_rng(SEED).permutation(heaviest[MOST // 2 :])
        drawn = np.concatenate((heaviest[: MOST // 2], others[: MOST - MOST // 2]))
    names = np.array([f"{who[i]} – {who[j]}" for i, j in found.ends[drawn].tolist()])
    similarity = "similarity of two points" if found.of_points else "inner product of two rows less their means"
    columns = found.similarities, found.pair_weights, found.positive
    s, weight, positive = (column[drawn] for column in columns)
    fig = weight_figure(s, weight, positive, names, similarity=similarity, theme=display.theme)
    words = []
    for sign, colour, kind in KINDS:
        active, every = found.active_of(kind == "positive")
        words.append((sign, colour, f"{active:,} of {every:,} {kind} pairs have a weight"))
    if len(drawn) < len(found.ends):
        words.append(("", EXACT, f"drawn: the {MOST // 2:,} heaviest, and as many of the others"))
    fig.layout.update(height=TALL, margin_t=74, annotations=[key(*words)], meta={"alt": weight_words(*columns)})
    return fig
