"""Losses independent of torch's modes: computed in the precision of their rows, and differentiable."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

Method = TypeVar("Method", bound=Callable[..., Any])


def outside_inference_and_autocast(method: Method) -> Method:
    """The ``method(self, z, ...)``, run outside `torch.inference_mode` and `torch.autocast` even if its caller is in them."""

    @wraps(method)
    def run(self: Any, z: Tensor, *args: Any, **learnt: Any) -> Any:
        kind = z.device.type if isinstance(z, Tensor) else "cpu"  # the method itself refuses what is no tensor
        casts = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
        if not casts and not torch.is_inference_mode_enabled():
            return method(self, z, *args, **learnt)
        ordinary = {name: _ordinary(tensor) for name, tensor in learnt.items()}
        with torch.inference_mode(False), torch.autocast(kind if casts else "cpu", enabled=False):
            return method(self, _ordinary(z), *map(_ordinary, args), **ordinary)

    return cast(Method, run)


def _ordinary(value: Any) -> Any:
    """A copy that autograd can record, of a tensor made in inference mode; anything else as it is."""
    return value.clone() if isinstance(value, Tensor) and value.is_inference() else value
