"""Where nets are trained: which devices there are, what they are called, and how results are kept repeatable on them."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

import torch
from threadpoolctl import ThreadpoolController

DEVICES = ("auto", "cuda", "mps", "cpu")


def devices() -> tuple[str, ...]:
    """The devices of this machine, the one that "auto" takes first."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return tuple(name for name, available in there.items() if available)


def resolve(name: str) -> torch.device:
    """The device that ``name`` (one of `DEVICES`) means here; ValueError where this machine has none of that kind."""
    there = devices()
    if name != "auto" and name not in there:
        raise ValueError(f"device = {name!r} is not on this machine; choose one of auto, {', '.join(there)}")
    return torch.device(there[0] if name == "auto" else name)


@lru_cache(maxsize=8)
def device_title(name: str) -> str:
    """What the device is called, such as "NVIDIA H200" or "CPU (AMD EPYC)"; ValueError as `resolve`."""
    device = resolve(name)
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{'Apple GPU' if device.type == 'mps' else 'CPU'} ({_processor()})"


@contextmanager
def repeatable() -> Iterator[None]:
    """Inside the block, torch and numpy give the same bits for the same work: one CPU thread, fixed convolution kernels.

    How a product is shared among threads changes its last bits, so results must not depend on the number of cores.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    fixed = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True)
    try:
        with fixed, _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(threads)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [
            line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        if models:
            return models[0]
    return platform.processor() or platform.machine()
