"""A scheduler and workers of Dask, forked from a process that has imported all they need, which takes most of their start."""

import asyncio
import multiprocessing
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess
from types import ModuleType

import pytest
from distributed import Scheduler, Worker

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["distributed", "dml_viz.engine", "tests.dask_process", "tests.fake_training"])


def scheduler(port: int) -> BaseProcess:
    """Start a scheduler at ``port`` of this machine."""
    return _started(partial(Scheduler, host="127.0.0.1", port=port, dashboard=False))


def worker(address: str) -> BaseProcess:
    """Start a worker with one thread for the scheduler at ``address``."""
    return _started(partial(Worker, f"tcp://{address}", nthreads=1, dashboard=False))


def kill(process: BaseProcess) -> None:
    """Kill a process and wait for its end."""
    process.kill()
    process.join()


def _started(server: Callable[[], Scheduler | Worker]) -> BaseProcess:
    process = FORKED.Process(target=_run, args=(server,), daemon=True)
    with pytest.MonkeyPatch.context() as patch:
        # A process runs the file of the main module again, which after a test of a page is that page.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        process.start()
    return process


def _run(server: Callable[[], Scheduler | Worker]) -> None:
    async def until_finished() -> None:
        async with server() as running:
            await running.finished()

    with suppress(KeyboardInterrupt):
        asyncio.run(until_finished())
