"""The optimiser of a learner: Adam, one tensor at a time, without a value read from the device."""

from functools import partial

import torch
from torch import Tensor

from dml_viz.losses import LearntTensor
from dml_viz.training.state import Learned


class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1) for one tensor, by torch's fused kernel; ``steps`` () is the number of its steps.

    Entries of a tensor that is ``declared`` with a range are clamped to it after each step.
    """

    def __init__(self, tensor: Tensor, learned: Learned, lr: float, steps: Tensor, declared: LearntTensor | None = None) -> None:
        self._tensor, self._steps = tensor.detach(), steps
        self._range = (declared.low, declared.high) if declared and declared.bounded else None
        self._mean, self._square = (tensor_of(array, tensor.device, tensor.dtype) for array in (learned.mean, learned.square))
        self._step = partial(
            torch._fused_adam_, lr=lr, beta1=0.9, beta2=0.999, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False
        )

    def step(self, gradient: Tensor, broken: Tensor) -> None:
        """Take a step down ``gradient``, none if ``broken`` () is 1."""
        self._step([self._tensor], [gradient], [self._mean], [self._square], [], [self._steps], found_inf=broken)
        if self._range:
            self._tensor.clamp_(*self._range)

    def arrays(self) -> Learned:
        """The tensor and its moments as plain arrays."""
        return Learned(*(tensor.cpu().numpy().copy() for tensor in (self._tensor, self._mean, self._square)))


def tensor_of(array: object, device: torch.device, dtype: torch.dtype) -> Tensor:
    """A copy of ``array`` on ``device``."""
    # A copy, since torch aligns its memory and numpy does not, and products round by alignment.
    return torch.tensor(array, device=device, dtype=dtype)
