"""Two losses: the loss and a second one, times a weight."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.n_pair import NPair
from dml_viz.params import param
from dml_viz.training.methods._base import Method, Response, StepBatch

# N-pair's loss is of raw rows unless it normalises them.
_OTHERS = {kind.title: kind() for kind in LOSSES.values() if kind().unit and not (kind().learns or kind().views)}
SECOND: Mapping[str, Loss] = MappingProxyType({NPair.title: NPair(normalise=True), **_OTHERS})


@dataclass(frozen=True)
class TwoLosses(Method):
    """The sum of the loss and a weight times a second loss, of the same batch."""

    title = "Two losses"
    sentence = "A second loss is added to the first, times a weight."
    reference = "Wang, Zhou, Wen, Liu, Lin: Deep Metric Learning with Angular Loss, ICCV 2017, arXiv:1708.01682"
    faithful = "at the defaults half of its N-pair + 2 × angular, on unit rows, with the angular loss over all positive pairs"

    second: str = param(NPair.title, "the loss that is added", label="second loss", choices=tuple(SECOND))
    weight: float = param(
        0.5,
        "what the second loss is multiplied by",
        r"\lambda",
        domain="[0, 100]",
        slider=(0.0, 2.0, 0.1),
        source="the inverse of the 2 by which Wang et al. 2017 multiply the angular loss beside N-pair's",
    )

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        first, second = super().response(loss, batch).gradients, SECOND[self.second]
        added = second.gradients(batch.z, batch.y, batch.layout)
        summed = replace(first, value=first.value + self.weight * added.value, z=first.z + self.weight * added.z)
        return Response(summed)
