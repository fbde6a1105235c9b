"""One loss of pairs, or two beside each other, on the same embeddings and around the same triplet."""

from dataclasses import dataclass
from functools import cached_property

from dml_viz.analysis.around_triplet import Model, Settings, informative_pair
from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.embedding.roles import UNSET
from dml_viz.explain.pairs.model_planes import COSINES, Field, fields
from dml_viz.explain.pairs.model_similarities import Dependence, dependence
from dml_viz.losses import LOSSES, Loss

FAMILY = {"pairs", "triplets", "tuples"}
PAIRWISE = {name: kind for name, kind in LOSSES.items() if FAMILY & set(kind.families) and "proxies" not in kind.families}


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
        return tuple(Model(self.embeddings, Settings(loss, *self.triplet, self.settings.edges)) for loss in self.settings.losses)

    @property
    def first(self) -> Model:
        """The model of the first loss."""
        return self.models[0]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Four losses over the same two similarities, those on the page with their knobs."""
        return fields(self.settings.losses, self.settings.axes)

    @cached_property
    def dependence(self) -> Dependence | None:
        """The similarities on which the weight of anchor and negative depends; None without a negative."""
        anchor, _, negative = self.triplet
        return None if negative == UNSET else dependence(self.embeddings, anchor, negative)
