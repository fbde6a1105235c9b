"""The memory of one training step by batch size: the whole batch at once, in chunks of 128, and the library's loss.

Each step runs in its own process, on Linux. The result is the peak of resident memory during the step (VmHWM, which
is reset before it) minus the resident memory before. With
``--write`` the numbers go to assets/recorded/chunks.json, which the page on large batches draws.
"""

import ctypes
import gc
import json
import platform
import subprocess
import sys
from pathlib import Path

import torch
from pytorch_metric_learning import losses

from dml_viz.assets import ASSETS
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.training.run import Run
from dml_viz.training.state import start
from dml_viz.training.step import Learner

SIZES, CLASSES, CHUNK = (256, 512, 1024, 2048, 4096, 8192), 64, 128
WAYS = {"whole": "the whole batch at once", "chunks": f"in chunks of {CHUNK}", "library": "the library's FastAP, whole"}
FILE = ASSETS / "recorded" / "chunks.json"


def resident(what: str) -> int:
    """The resident bytes of this process: now ("VmRSS"), or at most since the last reset ("VmHWM")."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))


def step(way: str, size: int) -> int:
    """The bytes by which one step of the conv net raises this process's peak."""
    run = Run(device="cpu", sampler=PByK(CLASSES, size // CLASSES), chunk=CHUNK if way == "chunks" else 0)
    small = Learner(Run(device="cpu", sampler=PByK(2, 2)), start(run))
    small.train()  # allocates what later steps reuse
    learner = Learner(run, start(run))
    Run.images_per_pass = lambda self, batch: self.chunk or batch  # type: ignore[method-assign]
    x, y, _ = learner._batch()
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # free but resident memory would hide the step's
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    if way == "library":
        losses.FastAPLoss(num_bins=10)(learner.net(x), y).backward()
    else:
        learner.backward()
    return resident("VmHWM") - before


def main() -> None:
    """Measure every batch size in every way, print a table, and write it with ``--write``."""
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    print(f"{'batch':>8}" + "".join(f"{way:>12}" for way in WAYS) + "   MB")
    for size in SIZES:
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.chunks", way, str(size)]
            found[way].append(round(int(subprocess.check_output(command)) / 1e6, 1))
        print(f"{size:>8}" + "".join(f"{found[way][-1]:>12.0f}" for way in WAYS), flush=True)
    if "--write" in sys.argv:
        measured = {"sizes": SIZES, "megabytes": found, "chunk": CHUNK, "torch": torch.__version__, "machine": platform.machine()}
        FILE.write_text(json.dumps(measured) + "\n", encoding="utf-8")


if __name__ == "__main__":
    print(step(sys.argv[1], int(sys.argv[2]))) if len(sys.argv) > 2 else main()
