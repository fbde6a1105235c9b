"""Training on a GPU where there is one; without one, the same on the CPU as a rehearsal, with smaller numbers.

Wall time, after waiting for the device at both ends, medians of rounds in which contestants take turns: steps a second
of ours, captured as CUDA graphs (on the CPU nothing is) and not, and of pytorch-metric-learning's training loop with all data on
the device and torch's fused Adam; FastAP's value and gradients at N = 4096 beside that library's; and 30 runs one after the
other, as a worker trains them, beside 30 of the library's.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from unittest.mock import patch

import torch
from pytorch_metric_learning.losses import FastAPLoss

from benchmarks.gradients import autograd
from benchmarks.peers import PEERS, Peer
from benchmarks.training import recipe
from dml_viz.data.samplers._base import BLOCK
from dml_viz.data.training_set import training_set
from dml_viz.losses import Loss, layout_of
from dml_viz.losses.fastap import FastAP
from dml_viz.training.captured import CAPTURES
from dml_viz.training.device import device_named, device_title, devices
from dml_viz.training.loop import Run, begin
from dml_viz.training.step import Learner

SHOWN = ("fastap", "contrastive", "multi_similarity", "proxy_anchor", "triplet, all")
RUNS = 30


def waited(device: torch.device, call: Callable[[], object]) -> float:
    """The seconds of ``call`` until the device has finished."""
    wait = {"cuda": torch.cuda.synchronize, "mps": torch.mps.synchronize}.get(device.type, lambda: None)
    wait()
    begun = time.perf_counter()
    call()
    wait()
    return time.perf_counter() - begun


def medians(device: torch.device, calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The seconds of each call, the median over rounds after one that is not counted."""
    took: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            took[name].append(waited(device, call))
    return {name: statistics.median(times[1:]) for name, times in took.items()}


def library_steps(run: Run, peer: Peer) -> Iterator[None]:
    """A plain loop with the library's loss on the same batches, which are already on the device."""
    device = device_named(run.device)
    data = training_set(run.dataset, run.protocol, device)
    net = run.net.build(data.side, run.dim, torch.Generator().manual_seed(run.seed))[:-1].to(device)
    loss = peer.theirs(data.classes, run.dim).to(device)
    optimiser = torch.optim.Adam([*net.parameters(), *loss.parameters()], lr=run.lr, fused=True)
    step = 0
    while True:
        images = data.batches(run.sampler, run.seed, step // BLOCK).on_device[step % BLOCK]
        optimiser.zero_grad()
        loss(net(data.x[images]), data.y[images]).backward()
        optimiser.step()
        step += 1
        yield


def steps(run: Run, peer: Peer, count: int, rounds: int) -> None:
    """Print the steps a second of one loss, ours and the library's."""
    device = device_named(run.device)
    learner, library = Learner(run, begin(run)), library_steps(run, peer)
    with patch.dict(CAPTURES, clear=True):
        uncaptured = Learner(run, begin(run))
    calls: dict[str, Callable[[], object]] = {
        "ours": lambda: trained(learner, count),
        "not captured": lambda: trained(uncaptured, count),
        "library": lambda: list(islice(library, count)),
    }
    took = medians(device, calls, rounds)
    rates = "".join(f"{count / seconds:14.0f}" for seconds in took.values())
    apart = (learner.weights - uncaptured.weights).abs().max().item()
    print(f"{run.loss.name:24}{rates}{took['library'] / took['ours']:9.1f} x{apart:14.1e}", flush=True)


def trained(learner: Learner, count: int) -> int:
    """Train and check once that all is finite, as a frame does; return the step reached."""
    for _ in range(count):
        learner.train()
    if not learner.check_finite():
        raise RuntimeError(learner.failed)
    return learner.step


def fastap(n: int, device: torch.device, rounds: int) -> None:
    """Print the milliseconds of FastAP's value and gradients of one large batch."""
    z = torch.nn.functional.normalize(torch.randn(n, 64, generator=torch.Generator().manual_seed(0)), dim=1).to(device)
    labels = torch.arange(n) // 8
    y, layout, loss = labels.to(device), layout_of(labels, device), FastAP(bins=10)
    calls: dict[str, Callable[[], object]] = {
        "ours": lambda: loss.gradients(z, y, layout),
        "library": autograd([FastAPLoss(num_bins=10)], z, y),
    }
    took = medians(device, calls, rounds)
    print(f"FastAP at N = {n}: ours {took['ours'] * 1e3:.1f} ms, library {took['library'] * 1e3:.1f} ms", flush=True)


def many(run: Run, peer: Peer, count: int, rounds: int) -> None:
    """Print the seconds of 30 runs from 30 seeds, one after the other."""
    device = device_named(run.device)
    runs = [replace(run, seed=seed) for seed in range(RUNS)]
    calls: dict[str, Callable[[], object]] = {
        "ours": lambda: [trained(Learner(one, begin(one)), count) for one in runs],
        "library": lambda: [list(islice(library_steps(one, peer), count)) for one in runs],
    }
    took = medians(device, calls, rounds)
    print(f"{RUNS} runs of {count} steps: ours {took['ours']:.2f} s, library {took['library']:.2f} s", flush=True)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", module="pytorch_metric_learning")
    name = devices()[0]
    device, rehearsal = device_named(name), name == "cpu"
    n, count = (512, 5) if rehearsal else (4096, 300)
    print(f"{device_title(name)}, torch {torch.__version__}{': a rehearsal' if rehearsal else ''}")
    print(f"{'steps a second':24}{'ours':>14}{'not captured':>14}{'library':>14}{'':11}weights apart")
    for shown in SHOWN:
        steps(of(PEERS[shown].ours, name), PEERS[shown], count, arguments.rounds)
    fastap(n, device, arguments.rounds)
    many(of(FastAP(bins=10), name), PEERS["fastap"], count, 1)


def of(loss: Loss, device: str) -> Run:
    """The run of a loss on ``device`` with batches of 64."""
    return replace(recipe(loss, 16, every=1000), device=device)


if __name__ == "__main__":
    main()
