"""A small convolutional net."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dml_viz.params import param
from dml_viz.training.nets._base import Net


class Mean(nn.Module):
    """Means (B, C) over the image of channels (B, C, h, w)."""

    def forward(self, x: Tensor) -> Tensor:
        return x.mean((2, 3))


class SecondOrder(nn.Module):
    """Means (B, C * C) over the image of the products of any two of the channels (B, C, h, w)."""

    def forward(self, x: Tensor) -> Tensor:
        x = x.flatten(2)
        return torch.bmm(x, x.mT).flatten(1) / x.shape[2]


POOLINGS = {"none": nn.Flatten, "mean": Mean, "second order": SecondOrder}


@dataclass(frozen=True)
class Conv(Net):
    """A few 3 x 3 convolutions that halve the image and double the channels each, then one fully connected layer."""

    title = "Conv net"
    sentence = "A few small convolutions: slower a step than the MLP, and it knows which pixels are neighbours."
    frame_every = 25

    width: int = param(16, "channels of the first convolution", "w", domain="[1, 128]", slider=(4, 32, 4))
    depth: int = param(3, "convolutions before the layer that embeds", "l", domain="[1, 4]", slider=(1, 4, 1))
    pooling: str = param(
        "none",
        "what the last layer sees: all places of all channels, means of channels over the image, or means of products",
        choices=tuple(POOLINGS),
        source="second order: Lin, RoyChowdhury and Maji 2015, Bilinear CNN Models, without their roots and normalisation",
    )

    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        layers: dict[str, nn.Module] = {}
        channels = 1
        for i in range(self.depth):
            wider = self.width * 2**i
            # A stride instead of pooling: a step takes a third to a tenth of the time, in any layout of memory.
            layers |= {f"conv {i + 1}": nn.Conv2d(channels, wider, 3, stride=2, padding=1), f"relu {i + 1}": nn.ReLU()}
            channels, side = wider, (side + 1) // 2
        size = channels * {"none": side * side, "mean": 1, "second order": channels}[self.pooling]
        return layers | {"features": POOLINGS[self.pooling](), "embedding": nn.Linear(size, dim)}
