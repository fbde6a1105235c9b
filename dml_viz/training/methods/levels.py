"""Three levels: each part of the embedding has a loss of its own, so that every depth of a net learns the whole task."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import Gradients, Loss
from dml_viz.training.methods._base import Method, Response, StepBatch, gradients_of_slice
from dml_viz.training.nets.levels import level_widths

NAMES = ("low", "middle", "high")


@dataclass(frozen=True)
class Levels(Method):
    """The mean of the loss over three slices of the embedding, each normalised by itself; fewer slices below 6 dimensions.

    The net decides where slices come from: in the net "Three levels" each is of another depth.
    """

    title = "Three levels"
    sentence = "Each third of the embedding gets the whole loss by itself; in a net of three levels it is of another depth."
    reference = (
        "Wang, Hua, Kodirov, Hu, Garnier, Robertson: Ranked List Loss for Deep Metric Learning, CVPR 2019, arXiv:1903.03238"
    )
    faithful = "from memory of RLL-(L,M,H); needs the net “Three levels” for its depths"
    in_slices = True

    def disjoint_widths(self, dim: int) -> tuple[int, ...]:
        return level_widths(dim)

    def extra_search_rows(self, z: Tensor, parameters: Mapping[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
        parts = z.split(level_widths(z.shape[1]), 1)
        return {name: (rows, rows) for name, rows in zip(NAMES, parts, strict=False)} if len(parts) > 1 else {}

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        parts = batch.z.split(level_widths(batch.z.shape[1]), 1)
        of_parts = [gradients_of_slice(loss, batch, rows) for rows in parts]
        value = sum((gradients.value / len(parts) for gradients in of_parts), batch.z.new_zeros(()))
        return Response(Gradients(value, torch.cat([gradients.z / len(parts) for gradients in of_parts], 1), {}))
