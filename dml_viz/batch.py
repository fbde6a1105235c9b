"""What a batch must be before a loss looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

UNIT_TOLERANCE = 1e-3


def check_batch(z: Tensor, y: Tensor, learnt: Mapping[str, Tensor], learns: Sequence[str]) -> None:
    """Refuse what no loss is defined on, in words that name it and the way to mend it.

    Wanted are unit rows z (N, d) in float32 or float64, whole-number labels y (N,), and the learnt tensors ``learns``,
    each (C, d) without rows of zeros, with labels from 0 to C - 1. ValueError otherwise, TypeError for what is no tensor.
    """
    for name, tensor in {"z": z, "y": y, **learnt}.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is {type(tensor).__name__}; pass a torch.Tensor")
        if tensor.device != z.device:
            raise ValueError(f"{name} is on {tensor.device}, z on {z.device}; move one of them")
    if z.ndim != 2 or z.numel() == 0:
        raise ValueError(f"z has shape {tuple(z.shape)}; pass (N, d) with N and d at least 1")
    if z.dtype not in (torch.float32, torch.float64):
        raise ValueError(f"z is {z.dtype}; pass float32 or float64")
    if y.shape != z.shape[:1]:
        raise ValueError(f"y has shape {tuple(y.shape)} for z of shape {tuple(z.shape)}; pass ({z.shape[0]},)")
    if y.is_floating_point() or y.is_complex() or y.dtype == torch.bool:
        raise ValueError(f"y is {y.dtype}; pass whole-number labels (int64)")
    _check_unit(z.detach())
    if set(learnt) != set(learns):
        raise ValueError(f"learnt tensors wanted: {', '.join(learns) or 'none'}; given: {', '.join(learnt) or 'none'}")
    for name, tensor in learnt.items():
        _check_learnt(name, tensor.detach(), z, y)


def _check_unit(z: Tensor) -> None:
    norms = torch.linalg.vector_norm(z, dim=1)
    shortest, longest = torch.aminmax(norms)
    # Written so that NaN, which compares false, is not let through.
    if float(shortest) >= 1 - UNIT_TOLERANCE and float(longest) <= 1 + UNIT_TOLERANCE:
        return
    finite = torch.isfinite(z).all(1)
    if not finite.all():
        raise ValueError(
            f"row {int((~finite).nonzero()[0])} of z has a value that is not finite; look where it was made"
        )
    row = int((norms - 1).abs().argmax())
    raise ValueError(
        f"row {row} of z has norm {float(norms[row]):.6g}; pass unit rows, within {UNIT_TOLERANCE} of 1 "
        "(torch.nn.functional.normalize)"
    )


def _check_learnt(name: str, tensor: Tensor, z: Tensor, y: Tensor) -> None:
    if tensor.ndim != 2 or tensor.shape[1] != z.shape[1] or tensor.dtype != z.dtype:
        raise ValueError(f"{name} is {tensor.dtype} {tuple(tensor.shape)}; pass {z.dtype} (classes, {z.shape[1]})")
    if not torch.isfinite(tensor).all():
        raise ValueError(f"{name} has a value that is not finite; look where it was made")
    empty = (tensor == 0).all(1)
    if empty.any():
        raise ValueError(f"row {int(empty.nonzero()[0])} of {name} is zero and has no direction; draw it anew")
    low, high = int(y.min()), int(y.max())
    if low < 0 or high >= len(tensor):
        raise ValueError(f"labels run from {low} to {high}; {name} has rows 0 to {len(tensor) - 1}")
