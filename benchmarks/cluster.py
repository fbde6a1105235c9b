"""One race and 36 plain runs on local workers, on Dask and on Ray, bit for bit (``python -m benchmarks.cluster``).

Schedulers and workers are processes of this machine; a kind whose library is not installed is left out. A race has twelve losses
and five seeds. It also prints the seconds of each, and the longest time without an answer when a worker is killed, then the
scheduler, while the 36 runs train.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from dml_viz.data.datasets.digits import Digits
from dml_viz.engine import Engine, Job, Limits, start, workers_at
from dml_viz.losses import LOSSES
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run
from dml_viz.training.nets.mlp import MLP
from tests.served import ROOT, free_port

LONGEST = 900.0  # s
BIN = Path(sys.executable).parent
PROCESSES = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


class Dask:
    """A scheduler and two workers, which restart when they end."""

    def __init__(self) -> None:
        self.port = str(free_port())
        self.address = f"dask://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start all of it."""
        scheduler = ["scheduler", "--host", "127.0.0.1", "--port", self.port]
        worker = ["worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", "1", "--no-nanny"]
        self._running = [self._process(*arguments) for arguments in (scheduler, worker, worker)]

    def kill_worker(self) -> None:
        """Kill one worker; another replaces it."""
        self._running[1].send_signal(signal.SIGKILL)
        self._running.append(self._process("worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", "1", "--no-nanny"))

    def stop(self) -> None:
        """Kill all of it, the scheduler first."""
        for one in self._running:
            one.kill()
            one.wait()

    def _process(self, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **PROCESSES}, stderr=subprocess.DEVNULL)


class Ray:
    """A head with two workers."""

    def __init__(self) -> None:
        self.port = str(free_port())
        self.address = f"ray://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start all of it."""
        self._ray("start", "--head", "--port", "0", "--ray-client-server-port", self.port, "--num-cpus", "2",
                  "--include-dashboard", "false", "--disable-usage-stats")  # fmt: skip

    def kill_worker(self) -> None:
        """Kill a worker process."""
        found = subprocess.run(["pgrep", "-f", "ray::answer"], capture_output=True, text=True).stdout.split()
        for pid in found[:1]:
            os.kill(int(pid), signal.SIGKILL)

    def stop(self) -> None:
        """Kill all of it."""
        self._ray("stop", "--force")

    def _ray(self, *arguments: str) -> None:
        environment = {**os.environ, **PROCESSES}
        subprocess.run([BIN / "ray", *arguments], cwd=ROOT, env=environment, check=True, capture_output=True)


@contextmanager
def engine_at(place: str) -> Iterator[Engine]:
    """An engine on the workers at ``place``, which have answered a first call."""
    engine = start(workers_at(place), Limits(unwatched=3600, deadline=600, seconds=1e6))
    try:
        engine.devices()
        yield engine
    finally:
        engine.close()


def trained(
    engine: Engine, experiment: Experiment, disturb: "list[tuple[float, Dask | Ray]] | None" = None
) -> tuple[str, float, float]:
    """A digest of all frames and curves, the seconds taken, and the longest time without another step."""
    job = engine.create(experiment, "benchmark")
    began = last = time.monotonic()
    job.play()
    steps, gap, whole = 0, 0.0, experiment.budget * len(experiment.runs)
    while job.status not in ("done", "failed") and time.monotonic() - began < LONGEST:
        job.watch()
        job.wait_for(lambda one: one.status in ("done", "failed"), 0.1)
        now = sum(member.step for member in job.overview().members)
        if now > steps:
            steps, gap, last = now, max(gap, time.monotonic() - last), time.monotonic()
        if disturb and now > whole * disturb[0][0]:
            share, cluster = disturb.pop(0)
            if share < 0.5:
                cluster.kill_worker()
            else:
                cluster.stop()
                time.sleep(3)
                print("   ", job.reason, flush=True)
                cluster.start()
    if job.status != "done":
        raise RuntimeError(job.reason)
    return digest(job), time.monotonic() - began, gap


def digest(job: Job) -> str:
    """A digest of all frames, and of the curves of all members."""
    bits = hashlib.sha256(job.rows()[1].tobytes())
    for step in job.steps:
        frames = job.frames(step)
        for frame in frames.members if frames else ():
            if frame:
                bits.update(frame.z.tobytes() + b"".join(array.tobytes() for array in frame.arrays.values()))
    return bits.hexdigest()[:16]


def main(arguments: list[str]) -> int:
    """Train, compare and print; return how many kinds differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("kinds", nargs="*", default=["dask", "ray"])
    options = parser.parse_args(arguments)
    run = Run(Digits(), net=MLP(), dim=2, steps=options.steps, device="cpu")
    twelve = [LOSSES[name]() for name in sorted(LOSSES)][:12]
    race = Experiment(
        tuple(replace(run, loss=loss, seed=seed) for loss in twelve for seed in range(5)),
        tuple(loss.title for loss in twelve),
        seeds=5,
    )
    plain = tuple(replace(run, seed=seed, lr=lr) for seed in range(9) for lr in (0.0005, 0.001, 0.002, 0.005))
    table = Experiment(plain, tuple(f"run {place}" for place in range(len(plain))), order="one by one", keep="none")
    with engine_at("2") as local:
        expected = [trained(local, one)[:2] for one in (race, table)]
    print("local", expected, flush=True)
    different = 0
    for kind in options.kinds:
        if not find_spec("distributed" if kind == "dask" else kind):
            print(f"{kind} is not installed: pip install -r requirements-{kind}.txt")
            continue
        cluster = Dask() if kind == "dask" else Ray()
        try:
            with engine_at(cluster.address) as engine:
                for name, one, (bits, seconds), disturb in (
                    ("race of 12 x 5", race, expected[0], None),
                    ("36 plain runs", table, expected[1], None),
                    ("36 runs, worker and scheduler killed", table, expected[1], [(0.2, cluster), (0.5, cluster)]),
                ):
                    found, took, gap = trained(engine, one, disturb)
                    different += found != bits
                    same = "bit-equal" if found == bits else "DIFFERENT"
                    print(f"{kind}: {name}: {same}, {took:.1f} s (local {seconds:.1f}), longest gap {gap:.1f} s", flush=True)
        finally:
            cluster.stop()
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
