"""Steps without Python: on a GPU the kernels of a call are captured once, as a CUDA graph; and Adam in such a step.

A small step keeps a GPU waiting for Python, which launches its kernels one by one; what a graph launches needs no Python.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from dml_viz.losses import LearntTensor
from dml_viz.training.state import AdamParameters

Result = TypeVar("Result")
Launch = Callable[[], object]
PLAIN = 5  # calls before a capture: by then torch has allocated what it keeps, and a slice of fewer steps captures nothing


def cuda_graph(call: Callable[[], Result]) -> tuple[Result, Launch]:
    """The result of ``call()``, whose tensors a launch of its kernels fills, and that launch; no kernel has run yet.

    RuntimeError where the call reads a value from the device or copies one to it.
    """
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            result = call()
        finally:
            graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)
    return result, graph.replay


# By the type of device; the others run every call as it is.
CAPTURES: dict[str, Callable[[Callable[[], Any]], tuple[Any, Launch]]] = {"cuda": cuda_graph}


class Captured(Generic[Result]):
    """A function ``call(key, *tensors)`` whose kernels a GPU captures after `PLAIN` calls with one key, and then launches.

    The key and the tensors' shapes decide alone which kernels the call runs; it writes into the same memory every time. A result
    holds until the next call. A call that cannot be captured runs as it is.
    """

    def __init__(self, call: Callable[..., Result], device: torch.device) -> None:
        self._call, self._capture = call, CAPTURES.get(device.type)
        self._key: object = None
        self._like: tuple[object, ...] = ()  # which key, and the tensors' shapes
        self._plain = 0  # calls with this key so far that ran as they are
        self._launch: Launch | None = None
        self._tensors: list[Tensor] = []  # which the kernels read
        self._result: Result

    def __call__(self, key: object, *tensors: Tensor) -> Result:
        """The result, from the tensors' values now; ``key`` is compared by identity."""
        if not self._capture:
            return self._call(key, *tensors)
        like = (id(key), *(tensor.shape for tensor in tensors))
        if like != self._like:
            self._key, self._like, self._plain, self._launch = key, like, 0, None
        if self._launch:
            for buffer, value in zip(self._tensors, tensors, strict=True):
                buffer.copy_(value)
            self._launch()
            return self._result
        result = self._call(key, *tensors)
        self._plain += 1
        if self._plain == PLAIN:
            self._tensors = [tensor.clone() for tensor in tensors]
            try:
                self._result, self._launch = self._capture(lambda: self._call(key, *self._tensors))
            except RuntimeError:
                self._capture = None
        return result


class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1) for one tensor, by torch's fused kernel; ``steps`` () is the number of its steps.

    Entries of a tensor that is ``declared`` with a range are clamped to it after each step.
    """

    def __init__(
        self, tensor: Tensor, learned: AdamParameters, lr: float, steps: Tensor, declared: LearntTensor | None = None
    ) -> None:
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

    def arrays(self) -> AdamParameters:
        """The tensor and its moments as plain arrays."""
        return AdamParameters(*(tensor.cpu().numpy().copy() for tensor in (self._tensor, self._mean, self._square)))


def tensor_of(array: object, device: torch.device, dtype: torch.dtype) -> Tensor:
    """A copy of ``array`` on ``device``."""
    # A copy, since torch aligns its memory and numpy does not, and products round by alignment.
    return torch.tensor(array, device=device, dtype=dtype)
