"""The pairs of a batch by similarity and weight."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import Display, key
from dml_viz.plot.style import EXACT, NEGATIVE, POSITIVE, recolour
from dml_viz.plot.weight_curve import weight_figure, weight_words

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model

MOST_PAIRS, SEED = 1500, 0  # pairs that are drawn as marks; the seed that chooses half of them from more
TALL = 500  # pixels, beside the points
KINDS = (("●", POSITIVE, "positive"), ("✕", NEGATIVE, "negative"))


def weights(model: "Model", display: Display) -> go.Figure:
    """A figure of each pair's weight against its similarity; of very many pairs, the heaviest and as many others."""
    response, who = model.response, display.who
    sample = np.arange(len(response.pair_indices))
    if len(sample) > MOST_PAIRS:
        heaviest = np.argsort(-np.abs(response.pair_weights), kind="stable")
        others = np.random.default_rng(SEED).permutation(heaviest[MOST_PAIRS // 2 :])
        sample = np.concatenate((heaviest[: MOST_PAIRS // 2], others[: MOST_PAIRS - MOST_PAIRS // 2]))
    names = np.array([f"{who[i]} – {who[j]}" for i, j in response.pair_indices[sample].tolist()])
    similarity = "inner product of two rows less their means" if response.has_transformed_rows else "similarity of two points"
    columns = response.pair_similarities, response.pair_weights, response.is_positive
    s, weight, positive = (column[sample] for column in columns)
    fig = weight_figure(s, weight, positive, names, similarity=similarity, theme=display.theme)
    words = []
    for sign, colour, kind in KINDS:
        active, every = response.active_pairs_of_kind(kind == "positive")
        words.append((sign, colour, f"{active:,} of {every:,} {kind} pairs have a weight"))
    if len(sample) < len(response.pair_indices):
        words.append(("", EXACT, f"drawn: the {MOST_PAIRS // 2:,} heaviest, and as many of the others"))
    notes = recolour([key(*words)], display.theme)
    fig.layout.update(height=TALL, margin_t=74, annotations=notes, meta={"alt": weight_words(*columns)})
    return fig
