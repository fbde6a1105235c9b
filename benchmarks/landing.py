"""What a landed slice costs the server, in a job of few members and of many (``-m benchmarks.landing``).

Training is free here and not timed: a slice lands, its changes are counted, and the next one is submitted.
"""

import gc
import time
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.job import Host, Job
from dml_viz.engine.limits import Limits, Visitor
from dml_viz.engine.members import Members, members_of
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run
from tests.fake_training import FAKE

MEMBERS = (1, 12, 60, 300)
SEEDS = {12: 1, 60: 5, 300: 5}
RUN = Run(steps=100, every=10, dim=2)
LIMITS = Limits(seconds=1e6, unwatched=3600)


def landing(members: int) -> float:
    """Milliseconds for each slice that lands, in a job of so many members."""
    seeds = SEEDS.get(members, 1)
    runs = tuple(replace(RUN, seed=100 + k) for k in range(members))
    experiment = Experiment(runs, tuple(map(str, range(members // seeds))), seeds=seeds)
    waiting: list[tuple[Future[Any], Any]] = []

    def submit(work: Any, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        waiting.append((future, lambda: work(*args)))
        return future

    host = Host(FairQueue(submit, lambda: 1), FAKE, LIMITS, time.monotonic)
    job = Job("", "", "race", Visitor(""), Members(experiment, members_of(experiment, LIMITS)), host)
    job.play()
    spent, slices = 0.0, 0
    while waiting:
        future, work = waiting.pop(0)
        result = work()
        began = time.thread_time()
        future.set_result(result)
        spent, slices = spent + time.thread_time() - began, slices + 1
    if job.status != "done":
        raise RuntimeError(f"the job is {job.status}: {job.reason}")
    return 1000 * spent / slices


if __name__ == "__main__":
    landing(12)
    gc.disable()
    for members in MEMBERS:
        print(f"{members} {'member' if members == 1 else 'members'}: {landing(members):.3f} ms for each slice that lands")
