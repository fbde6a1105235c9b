"""No method: the loss alone trains the net."""

from dataclasses import dataclass

from dml_viz.losses import Loss
from dml_viz.training.methods._base import Method


@dataclass(frozen=True)
class Plain(Method):
    """The sampler's batches, and the loss's own gradient."""

    title = "Plain"
    sentence = "The sampler draws a batch, and the loss alone says how its points move."
    reference = ""
    faithful = "as every loss is trained"
    changes_step = False

    def refuses(self, loss: Loss) -> str:
        return ""
