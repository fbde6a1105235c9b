"""The similarities on which a pair's weight depends: the pair's, other negatives' and positives'."""

from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.analysis import response_to
from dml_viz.analysis.triplet_plane import NEAR
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import Loss
from dml_viz.losses.circle import Circle
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.lifted import LiftedStructured
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.nt_xent import NTXent
from dml_viz.losses.ranked_list import RankedList
from dml_viz.losses.triplet import Triplet

COMPARED: tuple[Loss, ...] = (Contrastive(), Triplet(), LiftedStructured(), NTXent(), RankedList(), Circle(), MultiSimilarity())
KINDS = ("its own", "another negative's", "a positive's")
MOVED = 0.3  # the change of a similarity, up and down
MOST, MOST_OF_MANY = 8, 2  # negatives and positives moved at most, the nearest and the farthest ones
MANY = 60  # points, above which fewer are moved


@dataclass(frozen=True, eq=False)
class Dependence:
    """Losses by their ``titles`` (L,): the largest change (L, 3) of the pair's weight, over the loss's largest, by `KINDS`.

    ``pair`` is the anchor and the negative.
    """

    titles: tuple[str, ...]
    changes: np.ndarray
    pair: tuple[int, int]


def dependence(embeddings: Embeddings, anchor: int, negative: int) -> Dependence:
    """Move similarities of the anchor one at a time by `MOVED`, its own no nearer than `NEAR`, all others fixed."""
    y, d2 = embeddings.y.numpy(), embeddings.d2
    order = np.argsort(d2[anchor].numpy(), kind="stable")
    most = MOST if len(y) <= MANY else MOST_OF_MANY
    others = [k for k in order.tolist() if y[k] != y[anchor] and k != negative][:most]
    positives = [k for k in order.tolist() if y[k] == y[anchor] and k != anchor][-most:]
    changes = np.zeros((len(COMPARED), len(KINDS)))
    for row, loss in enumerate(COMPARED):
        response = response_to(embeddings, loss)
        largest = response.largest_weight or 1.0
        for column, ends in enumerate(([negative], others, positives)):
            least = 0.0 if column else 2 - 2 * NEAR  # at distance 0 the pair itself has no weight
            for end in ends:
                for step in (-MOVED, MOVED):
                    moved = d2.clone()
                    moved[anchor, end] = moved[end, anchor] = float((d2[anchor, end] - 2 * step).clamp(least, 4))
                    with torch.no_grad():
                        table = loss.value_and_weights(response.pairs.at(moved))[1]
                    weight = float(table[anchor, negative] + table[negative, anchor])
                    change = abs(weight - response.pair_table[anchor, negative]) / largest
                    changes[row, column] = max(changes[row, column], change)
    return Dependence(tuple(loss.name for loss in COMPARED), changes, (anchor, negative))
