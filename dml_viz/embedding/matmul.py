"""Matrix products at the full width of the processor.

On a CPU torch.mm calls MKL, which uses half-width registers on processors that are not Intel's. oneDNN, which comes with torch
as well, uses the full width and takes half the time there. It is called through the operator that torch's own compiler emits;
where a build of torch has no such operator, torch.mm is used.
"""

import platform
from pathlib import Path

import torch
from torch import Tensor

# Multiplications in a product; below this number a call of oneDNN takes longer than MKL's whole product.
FEW = 2**20


def _made_by_intel() -> bool:
    cpuinfo = Path("/proc/cpuinfo")
    return "GenuineIntel" in (cpuinfo.read_text()[:1000] if cpuinfo.exists() else platform.processor())


_ONEDNN = None
if torch.backends.mkldnn.is_available() and not _made_by_intel():
    _ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None)


def inner_products(a: Tensor, b: Tensor) -> Tensor:
    """``a @ b.T`` (N, M) of ``a`` (N, d) and ``b`` (M, d); differentiable."""
    if _ONEDNN is None or len(a) * b.numel() < FEW:
        return a @ b.T
    # oneDNN is slow where the second factor has gaps between its rows.
    dense = b.is_contiguous() or b.T.is_contiguous()
    if not dense or a.device.type != "cpu" or not a.dtype == b.dtype == torch.float32:
        return a @ b.T
    if torch.is_grad_enabled() and (a.requires_grad or b.requires_grad):
        return a @ b.T
    return _ONEDNN(a, b, None, "none", [], "")
