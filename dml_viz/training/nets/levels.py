"""A convolutional net with a part of the embedding from each of three depths."""

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dml_viz.embedding.sphere import normalise
from dml_viz.params import param
from dml_viz.training.nets._base import Net

LEVELS = 3


def widths(dim: int) -> tuple[int, ...]:
    """How many of ``dim`` coordinates each level has: equally many, and at least 2; what is left over has the last one."""
    count = max(1, min(LEVELS, dim // 2))
    return (dim // count,) * (count - 1) + (dim - dim // count * (count - 1),)


class Heads(nn.Module):
    """Convolutions, each with a fully connected layer on its mean over the image; their unit rows one behind the other."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        sizes = [1, *(width * 2**level for level in range(LEVELS))]
        self.stages = nn.ModuleList(
            nn.Conv2d(before, after, 3, stride=2, padding=1) for before, after in itertools.pairwise(sizes)
        )
        parts = widths(dim)
        self.heads = nn.ModuleList(
            nn.Linear(size, part) for size, part in zip(sizes[-len(parts) :], parts, strict=True)
        )

    def forward(self, x: Tensor) -> Tensor:
        found: list[Tensor] = []
        for stage in self.stages:
            x = stage(x).relu()
            found.append(x.mean((2, 3)))
        seen = found[-len(self.heads) :]
        return torch.cat([normalise(head(means)) for head, means in zip(self.heads, seen, strict=True)], 1)


@dataclass(frozen=True)
class Levels(Net):
    """Three convolutions as of the conv net; a low, a middle and a high level each give a third of the embedding."""

    title = "Three levels"
    sentence = "A conv net whose embedding has a part from each of three depths: low, middle and high level."
    frame_every = 25

    width: int = param(
        16, "w", meaning="channels of the first convolution", unit="count", domain="[1, 128]", slider=(4, 32), step=4
    )

    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        return {"levels": Heads(self.width, dim)}
