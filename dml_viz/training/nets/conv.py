"""A small convolutional net."""

from dataclasses import dataclass

from torch import nn

from dml_viz.params import param
from dml_viz.training.nets._base import Net

LAYERS = 3


@dataclass(frozen=True)
class Conv(Net):
    """Three 3 x 3 convolutions that halve the image and double the channels each, then one fully connected layer."""

    title = "Conv net"
    sentence = "Three small convolutions: slower a step than the MLP, and it knows which pixels are neighbours."
    frame_every = 25

    width: int = param(
        16, "w", meaning="channels of the first convolution", unit="count", domain="[1, 128]", slider=(4, 32), step=4
    )

    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        layers: dict[str, nn.Module] = {}
        channels = 1
        for i in range(LAYERS):
            wider = self.width * 2**i
            # A stride instead of pooling: a step takes a third to a tenth of the time, in any layout of memory.
            layers |= {f"conv {i + 1}": nn.Conv2d(channels, wider, 3, stride=2, padding=1), f"relu {i + 1}": nn.ReLU()}
            channels, side = wider, (side + 1) // 2
        return layers | {"features": nn.Flatten(), "embedding": nn.Linear(channels * side * side, dim)}
