"""Where training runs: jobs in a registry, moved along slice by slice by worker processes, streamed to browsers."""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

from dml_viz.engine.cluster import Cluster
from dml_viz.engine.job import Job
from dml_viz.engine.limits import Limits
from dml_viz.engine.pool import WorkerPool
from dml_viz.engine.registry import Engine, TooManyRunsError
from dml_viz.engine.slices import Training, warm
from dml_viz.engine.store import Store
from dml_viz.training.loop import Run, advance_while, begin, device_title, devices, observe, subset_of

TRAINING = Training(begin, advance_while, observe, subset_of, device_title, devices)


def local_workers(count: int | None = None) -> WorkerPool:
    """``count`` worker processes of this machine (default: one per core but one), which warm up at once."""
    return WorkerPool(count, partial(warm, TRAINING, Run()))


def workers_at(place: str) -> Callable[[], Executor]:
    """What makes the workers that a configuration names: "local", how many of those, or the address of a cluster."""
    if place == "local" or place.isdigit():
        return partial(local_workers, int(place) if place.isdigit() else None)
    return partial(Cluster, place, partial(warm, TRAINING, Run()))


def start(
    executor_factory: Callable[[], Executor] = local_workers, limits: Limits | None = None, store: Store | None = None
) -> Engine:
    """An engine on local workers, or on whatever executor ``executor_factory`` makes; close it at the end."""
    return Engine(TRAINING, executor_factory, limits, store=store)


__all__ = ["TRAINING", "Engine", "Job", "Limits", "TooManyRunsError", "local_workers", "start", "workers_at"]
