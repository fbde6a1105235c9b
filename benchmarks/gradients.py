"""The gradients of the fourteen best-known losses on one batch, together, against autograd over another library's.

One thread, float32, CPU time, contestants in turn within every round, medians. "together" shares the distances and masks of
the batch between the losses; "theirs" is value and backward of each of the library's losses on the same unit rows, one after
the other. Its lifted loss is left out on both sides, because it alone takes longer than all others together. Memory is the
growth of a fresh process's peak in one call at N = 512 in eight classes, which have fourteen million triplets, after a warm-up
at N = 64.
"""

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cached_property

import torch
from torch import Tensor, nn

from benchmarks.fastap import medians, peak
from benchmarks.peers import BEST_KNOWN, PEERS, UNCOUNTED
from dml_viz.losses import LOSSES, Gradients, Loss, Pairs

CLASS_SIZE, ROUNDS = 8, 9
SIZES = ((128, 64), (256, 64), (128, 3), (256, 3))  # N, d
# N -> the most ms of the call.
WANTED_MS = {128: 10.0, 256: 25.0}
FASTER = 5.0
LARGE, LARGE_CLASSES = 512, 8  # where memory is measured
COUNTED = [name for name in BEST_KNOWN if name != UNCOUNTED]
TABLES = tuple(name for name, made in vars(Pairs).items() if isinstance(made, cached_property))

Learnt = dict[str, dict[str, Tensor]]


def batch(n: int, dim: int, classes: int) -> tuple[Tensor, Tensor]:
    """Random unit rows (n, dim), and labels (n,) in random order."""
    generator = torch.Generator().manual_seed(n)
    z = torch.nn.functional.normalize(torch.randn(n, dim, generator=generator), dim=1)
    return z, torch.randperm(n, generator=generator) % classes


def learnt_of(losses: Mapping[str, Loss], dim: int, classes: int) -> Learnt:
    """Fresh learnt tensors of every loss."""
    generator = torch.Generator().manual_seed(classes)
    return {name: loss.initial_tensors(classes, dim, generator) for name, loss in losses.items()}


def variants() -> dict[str, Loss]:
    """Our variant of every peer, and every loss without a peer at its defaults."""
    known = {name.split(",")[0] for name in PEERS}
    alone = {name: kind() for name, kind in LOSSES.items() if name not in known}
    return dict(sorted(({name: peer.ours for name, peer in PEERS.items()} | alone).items()))


def autograd(criteria: list[nn.Module], z: Tensor, y: Tensor) -> Callable[[], None]:
    """Value and backward of each criterion, one after the other."""
    leaf = z.clone().requires_grad_()

    def call() -> None:
        for criterion in criteria:
            leaf.grad = None
            criterion.zero_grad()
            criterion(leaf, y).backward()

    return call


@torch.no_grad()
def gradients_of(losses: Mapping[str, Loss], z: Tensor, y: Tensor, learnt: Learnt) -> dict[str, Gradients]:
    """Value and gradients of every loss, with the distances and masks of the batch computed once."""
    tables: dict[str, Tensor] = {}
    found = {}
    for name, loss in losses.items():
        pairs = loss.pairs(z, y, learnt[name])
        shared = pairs.among_themselves and pairs.z is z
        vars(pairs).update(tables if shared else {})
        found[name] = loss.gradients_of_pairs(pairs, learnt[name])
        if shared:
            tables |= {table: vars(pairs)[table] for table in TABLES if table in vars(pairs)}
    return found


def together(n: int, dim: int, rounds: int) -> bool:
    """Print one line, of the fourteen in one call; return whether it meets its target."""
    classes = n // CLASS_SIZE
    z, y = batch(n, dim, classes)
    criteria = [PEERS[name].theirs(classes, dim) for name in COUNTED]
    everyone, counted = ({name: PEERS[name].ours for name in names} for names in (BEST_KNOWN, COUNTED))
    learnt = learnt_of(everyone, dim, classes)
    took = medians(
        {
            "all": lambda: gradients_of(everyone, z, y, learnt),
            "counted": lambda: gradients_of(counted, z, y, learnt),
            "alone": lambda: [loss.gradients(z, y, **learnt[name]) for name, loss in counted.items()],
            "theirs": autograd(criteria, z, y),
        },
        rounds,
    )
    ratio = took["theirs"] / took["counted"]
    good = took["all"] * 1e3 < WANTED_MS[n] and ratio >= FASTER
    print(
        f"{n:5} {dim:4}"
        + "".join(f"{took[name] * 1e3:14.2f}" for name in ("all", "counted", "alone", "theirs"))
        + f"{ratio:10.1f} x    under {WANTED_MS[n]:g} ms, {FASTER:g} times: {'held' if good else 'MISSED'}",
        flush=True,
    )
    return good


def one_by_one(rounds: int) -> None:
    """Print every loss alone, ours and theirs if there is one, and the memory of ours."""
    sizes = SIZES[:2]
    print(f"\n{'ms':30}" + "".join(f"{f'ours, {n}':>12}{'theirs':>12}" for n, _ in sizes) + f"{f'MB at {LARGE}':>14}")
    for name, loss in variants().items():
        line = f"{name:30}"
        for n, dim in sizes:
            classes = n // CLASS_SIZE
            z, y = batch(n, dim, classes)
            calls: dict[str, Callable[[], object]] = {"ours": step(loss, z, y, classes)}
            if name in PEERS:
                calls["theirs"] = autograd([PEERS[name].theirs(classes, dim)], z, y)
            took = medians(calls, rounds)
            line += "".join(f"{took[side] * 1e3:12.3f}" if side in took else f"{'':12}" for side in ("ours", "theirs"))
        print(f"{line}{peak_growth(name):14.1f}", flush=True)


def step(loss: Loss, z: Tensor, y: Tensor, classes: int) -> Callable[[], object]:
    """A training step's call of a loss."""
    learnt = learnt_of({"": loss}, z.shape[1], classes)[""]
    return lambda: loss.gradients(z, y, **learnt)


def peak_growth(name: str) -> float:
    """The growth in MB of a fresh process's peak of resident memory."""
    command = [sys.executable, "-m", "benchmarks.gradients", "--memory", name]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_memory(name: str) -> None:
    """Print `peak_growth` as the fresh process sees it."""
    loss = variants()[name]
    warm, large = (step(loss, *batch(n, 64, LARGE_CLASSES), LARGE_CLASSES) for n in (64, LARGE))
    warm()
    before = peak()
    large()
    print(peak() - before)


def main() -> int:
    """Print both tables; return how many targets were missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", metavar="LOSS", help="print the growth of the peak in MB and leave")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--wanted", action="store_true", help="only the fourteen together")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", module="pytorch_metric_learning")
    if arguments.memory:
        measure_memory(arguments.memory)
        return 0
    print(f"torch {torch.__version__}, one thread, classes of {CLASS_SIZE}, medians of {arguments.rounds} rounds, ms of CPU time")
    print(
        f"{'N':>5} {'d':>4}{'all fourteen':>14}" + "".join(f"{head:>14}" for head in ("without lifted", "one by one", "theirs"))
    )
    missed = sum(not together(n, dim, arguments.rounds) for n, dim in SIZES)
    if not arguments.wanted:
        one_by_one(arguments.rounds)
    return missed


if __name__ == "__main__":
    sys.exit(main())
