"""A multilayer perceptron on the pixels."""

from dataclasses import dataclass

from torch import nn

from dml_viz.params import param
from dml_viz.training.nets._base import Net


@dataclass(frozen=True)
class MLP(Net):
    """Fully connected layers with ReLU between them, which do not know which pixels are neighbours."""

    title = "MLP"
    sentence = "Fully connected layers on the pixels: fast, and blind to which pixels are neighbours."
    frame_every = 200

    width: int = param(128, "units in each hidden layer", "w", domain="[1, 512]", slider=(16, 256, 16))
    depth: int = param(1, "hidden layers", "l", domain="[1, 4]", slider=(1, 4, 1))

    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        sizes = (side * side, *[self.width] * self.depth)
        layers: dict[str, nn.Module] = {"pixels": nn.Flatten()}
        for i in range(self.depth):
            layers |= {f"hidden {i + 1}": nn.Linear(sizes[i], sizes[i + 1]), f"relu {i + 1}": nn.ReLU()}
        return layers | {"embedding": nn.Linear(self.width, dim)}
