"""FastAP against pytorch-metric-learning's: time, memory, and the ratio to the time of the matrix products that it needs.

One thread, CPU time of the thread, implementations in turn within every round, medians; d = 128, N / 8 classes, float32.
"ours" is value(z, y).backward(), with the check of the batch; "step" is gradients(z, y), what a training step calls.
Memory is the growth of a fresh process's peak in value(z, y).backward(), after a warm-up at N = 64.
"""

import argparse
import math
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from pytorch_metric_learning.losses import FastAPLoss
from torch import Tensor

from dml_viz.losses.fastap import FastAP

SIZES = (64, 128, 256, 512, 1024, 2048)
BINS = (10, 50, 100)
# (N, bins) -> the least speed, as a multiple of pytorch-metric-learning's.
WANTED = {(256, 10): 6.0, (256, 50): 50.0, (1024, 50): 120.0}
WANTED_MB = 10.0
DIM, CLASS_SIZE, ROUNDS = 128, 8, 9
# pytorch-metric-learning makes several N x N x bins arrays; with more entries than this it takes gigabytes.
TOO_LARGE = 120_000_000


def batch(n: int) -> tuple[Tensor, Tensor]:
    """Random unit rows (n, d), differentiable, and labels (n,) in random order."""
    generator = torch.Generator().manual_seed(n)
    z = torch.nn.functional.normalize(torch.randn(n, DIM, generator=generator), dim=1)
    return z.requires_grad_(), torch.randperm(n, generator=generator) // CLASS_SIZE


def backward(loss: Callable[[Tensor, Tensor], Tensor], z: Tensor, y: Tensor) -> Callable[[], None]:
    """Run forward and backward once."""

    def call() -> None:
        z.grad = None
        loss(z, y).backward()

    return call


def two_products(n: int) -> Callable[[], None]:
    """A function that computes S = Z Z' and (W + W') Z, the least work of a loss over all pairs."""
    z = batch(n)[0].detach()

    def call() -> None:
        s = z @ z.T
        torch.mm(s.add_(s.T.clone()), z)

    return call


def medians(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median CPU seconds of each call; calls take turns.

    Quick calls are repeated to fill a few milliseconds, after as many calls that are not counted: otherwise each would pay for
    memory and caches that the call before it has used.
    """
    repeats = {}
    for name, call in calls.items():
        call()
        repeats[name] = max(1, min(50, int(0.005 / max(seconds(call, 1), 1e-5))))
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            seconds(call, repeats[name])
            found[name].append(seconds(call, repeats[name]))
    return {name: statistics.median(times) for name, times in found.items()}


def seconds(call: Callable[[], object], repeats: int) -> float:
    """The CPU seconds of this thread per call."""
    start = time.thread_time()
    for _ in range(repeats):
        call()
    return (time.thread_time() - start) / repeats


def peak_growth(n: int, bins: int) -> float:
    """The growth in MB of a fresh process's peak of resident memory."""
    command = [sys.executable, "-m", "benchmarks.fastap", "--memory", str(n), str(bins)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_memory(n: int, bins: int) -> None:
    """Print `peak_growth` as the fresh process sees it."""
    loss = FastAP(bins=bins).value
    backward(loss, *batch(64))()
    call = backward(loss, *batch(n))
    before = peak()
    call()
    print(peak() - before)


def peak() -> float:
    """The highest resident memory so far in MB."""
    try:
        # In ru_maxrss a process inherits the peak of its parent, but not here.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 2**10
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> int:
    """Print the table; return how many targets were missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", nargs=2, type=int, metavar=("N", "BINS"), help="print the growth of the peak in MB and leave")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--wanted", action="store_true", help="only the sizes for which a figure is wanted")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.memory:
        measure_memory(*arguments.memory)
        return 0
    print(f"torch {torch.__version__}, one thread, d = {DIM}, medians of {arguments.rounds} rounds; ms of CPU time\n")
    heads = ("ours", "step", "2 products", "ours / 2p", "PML", "PML / ours", "PML / step", "MB")
    print(f"{'N':>5} {'bins':>5}" + "".join(f"{head:>12}" for head in heads))
    missed = 0
    for n, bins in WANTED if arguments.wanted else [(n, bins) for n in SIZES for bins in BINS]:
        missed += not row(n, bins, arguments.rounds)
    return missed


def row(n: int, bins: int, rounds: int) -> bool:
    """Print one row; return whether it meets its target."""
    z, y = batch(n)
    points, loss = z.detach(), FastAP(bins=bins)
    calls = {"ours": backward(loss.value, z, y), "step": lambda: loss.gradients(points, y), "two": two_products(n)}
    if n * n * (bins + 1) <= TOO_LARGE:
        calls["pml"] = backward(FastAPLoss(num_bins=bins), z, y)
    found = medians(calls, rounds)
    ours, step, two, memory = found["ours"], found["step"], found["two"], peak_growth(n, bins)
    pml = found.get("pml", math.nan)  # NaN if it would take too much memory
    good, note = True, ""
    if wanted := WANTED.get((n, bins)):
        good = pml / max(ours, step) >= wanted and memory < WANTED_MB
        note = f"  wanted {wanted:g} times, {WANTED_MB:g} MB: {'held' if good else 'MISSED'}"
    print(
        f"{n:5} {bins:5}{ours * 1e3:12.3f}{step * 1e3:12.3f}{two * 1e3:12.3f}{ours / two:12.2f}"
        f"{pml * 1e3:12.2f}{pml / ours:12.1f}{pml / step:12.1f}{memory:12.1f}{note}",
        flush=True,
    )
    return good


if __name__ == "__main__":
    sys.exit(main())
