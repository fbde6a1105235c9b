"""A convolutional net with a part of the embedding from each of three depths."""

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dml_viz.embedding.sphere import normalise
from dml_viz.params import param
from dml_viz.training.nets._base import Net

LEVELS = 3


def level_widths(dim: int) -> tuple[int, ...]:
    """The number of coordinates of each level, ``dim`` in all: equally many and at least 2; the last level has the rest."""
    count = max(1, min(LEVELS, dim // 2))
    return (dim // count,) * (count - 1) + (dim - dim // count * (count - 1),)


class ConvWithHeads(nn.Module):
    """Convolutions, each with a fully connected head on its mean over the image; the unit rows of all heads are concatenated."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        sizes = [1, *(width * 2**level for level in range(LEVELS))]
        self.stages = nn.ModuleList(
            nn.Conv2d(before, after, 3, stride=2, padding=1) for before, after in itertools.pairwise(sizes)
        )
        parts = level_widths(dim)
        self.heads = nn.ModuleList(nn.Linear(size, part) for size, part in zip(sizes[-len(parts) :], parts, strict=True))

    def forward(self, x: Tensor) -> Tensor:
        means: list[Tensor] = []
        for stage in self.stages:
            x = stage(x).relu()
            means.append(x.mean((2, 3)))
        pairs = zip(self.heads, means[-len(self.heads) :], strict=True)
        return torch.cat([normalise(head(mean)) for head, mean in pairs], 1)


@dataclass(frozen=True)
class Levels(Net):
    """Three convolutions as in the conv net; a low, a middle and a high level each compute a third of the embedding."""

    title = "Three levels"
    sentence = "A conv net whose embedding has a part from each of three depths: low, middle and high level."
    frame_every = 25

    width: int = param(16, "channels of the first convolution", "w", domain="[1, 128]", slider=(4, 32, 4))

    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        return {"levels": ConvWithHeads(self.width, dim)}
