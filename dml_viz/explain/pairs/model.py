"""One loss of pairs, or two beside each other, on the same embeddings and around the same triplet."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import torch

from dml_viz.analysis import response_to
from dml_viz.analysis.around_triplet import Model, TripletChoice, informative_pair
from dml_viz.analysis.triplet_plane import GRID, NEAR, plane
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.roles import UNSET
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.circle import Circle
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.lifted import LiftedStructured
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.nt_xent import NTXent
from dml_viz.losses.ranked_list import RankedList
from dml_viz.losses.triplet import Triplet

FAMILY = {"pairs", "triplets", "tuples"}
PAIRWISE = {name: kind for name, kind in LOSSES.items() if FAMILY & set(kind.families) and "proxies" not in kind.families}
COMPARED: tuple[Loss, ...] = (Contrastive(), Triplet(), LiftedStructured(), NTXent(), RankedList(), Circle(), MultiSimilarity())
KINDS = ("its own", "another negative's", "a positive's")
MOVED = 0.3  # the change of a similarity, up and down
MOST, MOST_OF_MANY = 8, 2  # negatives and positives moved at most, the nearest and the farthest ones
MANY = 60  # points, above which fewer are moved
ON_PLANES: tuple[Loss, ...] = (Circle(), MarginSoftmax(form="AM-softmax"), MultiSimilarity(), Triplet())
COSINES, DEGREES = AXES = ("cosines", "degrees")


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
                    change = abs(weight - response.pair_weight_matrix[anchor, negative]) / largest
                    changes[row, column] = max(changes[row, column], change)
    return Dependence(tuple(loss.name for loss in COMPARED), changes, (anchor, negative))


@dataclass(frozen=True, eq=False)
class Field:
    """A loss by its ``title`` over ``at`` (G,), ascending cosines or degrees of the negative in rows and the positive in columns.

    ``value`` (G, G), and a step down its gradient along both axes, ``across`` and ``up`` (G, G); NaN without a batch.
    """

    title: str
    at: np.ndarray
    value: np.ndarray
    across: np.ndarray
    up: np.ndarray


@lru_cache(maxsize=64)
def field(loss: Loss, axes: str) -> Field:
    """The field of ``loss`` in its smallest batch; a loss of proxies has one sample and two proxies."""
    if "proxies" in loss.learns:
        s, triple = _of_proxies(loss)
    else:
        seen = plane(loss)
        s, triple = seen.s, np.stack((seen.value, seen.of_positive, seen.of_negative))
    value, of_positive, of_negative = triple
    if axes == COSINES:
        return Field(loss.name, s, value, -of_positive, -of_negative)
    angle = np.arccos(s)
    # An angle grows as its cosine falls: dL/dangle = -sin(angle) dL/ds, and the axes turn round.
    across, up = of_positive * np.sin(angle), of_negative * np.sin(angle)[:, None]
    return Field(loss.name, np.degrees(angle)[::-1], value[::-1, ::-1], across[::-1, ::-1], up[::-1, ::-1])


def _of_proxies(loss: Loss) -> tuple[np.ndarray, np.ndarray]:
    """Similarities (G,), and the value, dL/ds_p and dL/ds_n (3, G, G) of one sample between two proxies."""
    s = np.linspace(-1, 1, GRID)
    s[-1] = NEAR
    y, rows = torch.zeros(1, dtype=torch.int64), torch.eye(2, dtype=torch.float64)
    pairs = loss.pairs(rows[:1], y, {"proxies": rows})
    table = np.empty((3, GRID, GRID))
    for row, column in np.ndindex(GRID, GRID):
        value, weights = loss.value_and_weights(pairs.at(2 - 2 * torch.tensor([[s[column], s[row]]])))
        table[:, row, column] = float(value), *weights[0].tolist()
    return s, table


@dataclass(frozen=True)
class PageSettings:
    """One or two losses, the pairs drawn ("batch" or "anchor"), and the triplet; with ``free_triplet`` only its anchor is set.

    ``axes`` are those of the losses' planes side by side, "cosines" or "degrees".
    """

    losses: tuple[Loss, ...]
    edges: str = "batch"
    triplet: tuple[int, int, int] = (0, UNSET, UNSET)
    free_triplet: bool = False
    axes: str = COSINES


def losses_on_planes(settings: PageSettings) -> tuple[Loss, ...]:
    """The four losses `ON_PLANES`, those of the page with its knobs."""
    by_class = {type(loss): loss for loss in settings.losses}
    return tuple(by_class.get(type(loss), loss) for loss in ON_PLANES)


class Losses(EmbeddingsModel[PageSettings]):
    """The models of one or two losses around the same triplet."""

    @cached_property
    def triplet(self) -> tuple[int, int, int]:
        """Anchor, positive and negative, -1 for none; with a free triplet, the two that show the first loss well."""
        anchor = self.settings.triplet[0]
        if not self.settings.free_triplet:
            return self.settings.triplet
        return (anchor, *informative_pair(self.embeddings, self.settings.losses[0], anchor))

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """A model for each loss."""
        return tuple(
            Model(self.embeddings, TripletChoice(loss, *self.triplet, self.settings.edges)) for loss in self.settings.losses
        )

    @property
    def first(self) -> Model:
        """The model of the first loss."""
        return self.models[0]

    @cached_property
    def four_fields(self) -> tuple[Field, ...]:
        """The fields of the four losses `ON_PLANES`, which need not be on the page; those on the page have its knobs."""
        return tuple(field(loss, self.settings.axes) for loss in losses_on_planes(self.settings))

    @cached_property
    def dependence(self) -> Dependence | None:
        """The similarities on which the weight of anchor and negative depends; None without a negative."""
        anchor, _, negative = self.triplet
        return None if negative == UNSET else dependence(self.embeddings, anchor, negative)
