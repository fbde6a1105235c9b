"""The devices on which nets are trained, their names, and repeatable results on them."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import torch
from threadpoolctl import ThreadpoolController

DEVICES = ("auto", "cuda", "mps", "cpu")


def devices() -> tuple[str, ...]:
    """The devices of this machine; the first is the one that "auto" stands for."""
    kinds = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return tuple(name for name, available in kinds.items() if available)


def device_named(name: str) -> torch.device:
    """The device that ``name`` (one of `DEVICES`) means here; ValueError where this machine has none of that kind."""
    present = devices()
    if name != "auto" and name not in present:
        raise ValueError(f"device = {name!r} is not on this machine; choose one of auto, {', '.join(present)}")
    return torch.device(present[0] if name == "auto" else name)


@cache
def device_title(name: str) -> str:
    """The title of the device, such as "NVIDIA H200" or "CPU (AMD EPYC)"; ValueError as `device_named`."""
    device = device_named(name)
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{'Apple GPU' if device.type == 'mps' else 'CPU'} ({_processor()})"


@contextmanager
def repeatable() -> Iterator[None]:
    """Make torch and NumPy give the same bits for the same work inside the block: one CPU thread, fixed convolution kernels.

    The division of a product among threads changes its last bits, so results would depend on the number of cores.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    fixed = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True)
    try:
        with fixed, _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(threads)


_libraries = cache(ThreadpoolController)


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        if models:
            return models[0]
    return platform.processor() or platform.machine()
