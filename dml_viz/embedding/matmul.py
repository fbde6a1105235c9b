"""Matrix products at the full width of the processor.

torch.mm on a CPU is MKL's, which keeps to half-width registers on processors that are not Intel's. oneDNN, which comes with
torch as well, does not, and takes half the time there; for plain tensors it is reached through the operator that torch's own
compiler emits. Where a build of torch has none, torch.mm is used.
"""

import platform
from pathlib import Path

import torch
from torch import Tensor

# Multiplications below which the call of oneDNN takes longer than all of MKL's product.
FEW = 2**20


def _made_by_intel() -> bool:
    cpuinfo = Path("/proc/cpuinfo")
    return "GenuineIntel" in (cpuinfo.read_text()[:1000] if cpuinfo.exists() else platform.processor())


_ONEDNN = None
if torch.backends.mkldnn.is_available() and not _made_by_intel():
    _ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None)


def product(a: Tensor, b: Tensor) -> Tensor:
    """``a @ b.T`` (N, M) of ``a`` (N, d) and ``b`` (M, d); differentiable."""
    if _ONEDNN is None or len(a) * b.numel() < FEW:
        return a @ b.T
    # oneDNN leaves its fast paths for a second factor with gaps between its rows.
    dense = b.is_contiguous() or b.T.is_contiguous()
    if not dense or a.device.type != "cpu" or not a.dtype == b.dtype == torch.float32:
        return a @ b.T
    if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad):
        return a @ b.T
    return _ONEDNN(a, b, None, "none", [], "")
