"""P classes with K samples each, the batch of most pair and triplet losses."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.data.samplers._base import ClassTable, Sampler
from dml_viz.params import param


@dataclass(frozen=True)
class PByK(Sampler):
    """P classes without replacement, then K samples of each without replacement.

    From a table of fewer than P classes, a batch has all. From a class of fewer than K samples, each comes equally often, to
    within one. Raises ValueError for a batch P x K above 8192.
    """

    title = "P classes x K samples"
    sentence = "Every batch holds P classes with K images each, so every image has K - 1 positives."

    classes: int = param(
        16,
        "classes in a batch",
        "P",
        domain="[2, 512]",
        slider=(2, 16, 1),
        source="Hermans et al. 2017, In Defense of the Triplet Loss, section 2",
    )
    samples: int = param(
        8,
        "images of each class in a batch",
        "K",
        domain="[2, 512]",
        slider=(2, 64, 1),
        source="Hermans et al. 2017, In Defense of the Triplet Loss, section 2",
    )

    def draw(self, table: ClassTable, generator: torch.Generator, steps: int) -> Tensor:
        """The next ``steps`` batches from a CPU generator, int64 (steps, P K), K samples of one class after the other."""
        count, longest = table.members.shape
        width = max(longest, self.samples)
        rows = torch.rand(steps, count, generator=generator).topk(min(self.classes, count)).indices  # (steps, P)
        sizes = table.sizes[rows].unsqueeze(-1)  # (steps, P, 1)
        keys = torch.rand(*rows.shape, width, generator=generator)  # (steps, P, M)
        keys.masked_fill_(torch.arange(width) >= sizes, -1.0)
        shuffled = keys.topk(self.samples).indices  # (steps, P, K)
        places = shuffled.gather(-1, torch.arange(self.samples) % sizes)
        return table.members[rows.unsqueeze(-1), places].flatten(1)
