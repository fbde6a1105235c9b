"""The engine of training: jobs in a registry, trained slice by slice by worker processes, streamed to browsers."""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

from dml_viz.engine.cluster import CLUSTERS, Cluster, is_cluster
from dml_viz.engine.engine import Engine, TooManyRunsError
from dml_viz.engine.job import Job
from dml_viz.engine.limits import Limits
from dml_viz.engine.pool import WorkerPool
from dml_viz.engine.slices import WHILE_WAITING, Training, warm
from dml_viz.engine.store import Store
from dml_viz.training.loop import Run, advance_while, begin, device_title, devices, observe, subset_of

TRAINING = Training(begin, advance_while, observe, subset_of, device_title, devices)
MOST_WORKERS = 256  # on one machine; each takes half a GB


def local_workers(count: int | None = None) -> WorkerPool:
    """``count`` worker processes on this machine (default: one less than its cores), which warm up at once."""
    return WorkerPool(count, partial(warm, TRAINING, Run()), WHILE_WAITING)


def workers_at(address: str) -> Callable[[], Executor]:
    """A function that makes the workers named in a configuration: "local", a number of local workers, or a cluster's address.

    ValueError, which says what can be written, for any other.
    """
    if address == "local":
        return local_workers
    if address.isdecimal() and 0 < int(address) <= MOST_WORKERS:
        return partial(local_workers, int(address))
    if is_cluster(address):
        return partial(Cluster, address, partial(warm, TRAINING, Run()))
    raise ValueError(f"workers = {address!r} is not allowed; write local, a whole number from 1 to {MOST_WORKERS}, or {CLUSTERS}")


def start(
    executor_factory: Callable[[], Executor] = local_workers, limits: Limits | None = None, store: Store | None = None
) -> Engine:
    """An engine on the executor that ``executor_factory`` makes, by default local workers; close it at the end."""
    return Engine(TRAINING, executor_factory, limits, store=store)


__all__ = ["TRAINING", "Engine", "Job", "Limits", "TooManyRunsError", "local_workers", "start", "workers_at"]
