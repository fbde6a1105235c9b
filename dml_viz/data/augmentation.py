"""Views: random variations of the same image, for losses whose labels name images and not classes."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

from dml_viz.data.samplers._base import seeded
from dml_viz.params import Declared, param


@dataclass(frozen=True)
class Augmentation(Declared):
    """A declared augmentation: every image is turned, resized and shifted, uniformly within limits, and gets normal noise.

    On one device the draws depend on the seed and the step only.
    """

    title: ClassVar[str] = "Augmentation"

    turn: float = param(15.0, "largest rotation, either way", domain="[0, 180] degrees", slider=(0.0, 45.0, 1.0))
    zoom: float = param(0.1, "largest change of size, either way, as a share of it", domain="[0, 0.9]", slider=(0.0, 0.5, 0.01))
    shift: float = param(0.08, "largest shift along either side, as a share of it", domain="[0, 1]", slider=(0.0, 0.3, 0.01))
    noise: float = param(
        0.05,
        "standard deviation of what is added to each pixel; black is 0 and white 1",
        domain="[0, 1]",
        slider=(0.0, 0.3, 0.01),
    )

    def view(self, x: Tensor, seed: int, step: int) -> Tensor:
        """A view (B, 1, side, side) of each of images x of this shape in [0, 1], each drawn anew; seed and step at least 0."""
        # Drawn on the host, so that the views are the same on every device.
        generator = seeded(seed, step, 1)
        turn, zoom, *shift = torch.rand(4, len(x), generator=generator).to(x).mul_(2).sub_(1)
        angle, size = turn * math.radians(self.turn), 1 + zoom * self.zoom
        # The grid maps places of the view to places of the image, from -1 to 1 along a side, hence the inverse of the size.
        cos, sin, (right, down) = angle.cos() / size, angle.sin() / size, (2 * self.shift * way for way in shift)
        rows = torch.stack((cos, -sin, right), 1), torch.stack((sin, cos, down), 1)
        places = affine_grid(torch.stack(rows, 1), list(x.shape), align_corners=False)
        views = grid_sample(x, places, align_corners=False)
        if not self.noise:
            return views
        noise = torch.randn(x.shape, generator=generator).to(x)
        return views.add_(noise, alpha=self.noise).clamp_(0, 1)
