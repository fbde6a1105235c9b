"""A connection to Dask's scheduler. Each worker that joins reports its devices: a call goes to a worker with its device."""

from collections.abc import Callable
from functools import partial
from typing import Any

from distributed import Client, Future, KilledWorker

from dml_viz.engine.cluster.worker import answer
from dml_viz.engine.versions import versions
from dml_viz.engine.worker import unpack
from dml_viz.training.device import DEVICES

SECONDS = 5.0  # within which a scheduler must answer


class DaskLink:
    """The client of the scheduler at ``host``; each worker answers the pickled call ``prepare``. OSError if none answers."""

    died = (KilledWorker,)

    def __init__(self, host: str, prepare: bytes) -> None:
        self._client = Client(f"tcp://{host}", timeout=SECONDS, set_as_default=False)
        self._prepare = prepare
        self._devices: dict[str, tuple[str, ...]] = {}  # by the address of the worker

    def submit(self, message: bytes, device: str, landed: Callable[[Callable[[], bytes]], None]) -> Callable[[], None]:
        future = self._submit(message, self._with_device(device))
        future.add_done_callback(lambda done: landed(done.result))
        return partial(self._end_worker_of, future)

    def workers(self) -> int:
        scheduler: Any = self._client.scheduler
        threads: dict[str, int] = self._client.sync(scheduler.ncores, callback_timeout=SECONDS)
        self._devices = {worker: known for worker, known in self._devices.items() if worker in threads}
        for worker in threads.keys() - self._devices.keys():
            self._devices[worker] = ()
            self._submit(self._prepare, [worker]).add_done_callback(partial(self._note_devices, worker))
        return sum(threads.values())

    def close(self) -> None:
        self._client.close(timeout=SECONDS)

    def _submit(self, message: bytes, workers: list[str] | None) -> "Future[bytes]":
        return self._client.submit(answer, message, dict(versions()), pure=False, workers=workers)

    def _note_devices(self, worker: str, prepared: "Future[bytes]") -> None:
        if prepared.status == "finished" and worker in self._devices:
            self._devices[worker] = unpack(prepared.result())

    def _with_device(self, device: str) -> list[str] | None:
        """The workers that have ``device``, where "auto" is the best device of all workers; None for all or none of them."""
        known = {worker: devices for worker, devices in self._devices.items() if devices}
        best = min((devices[0] for devices in known.values()), key=DEVICES.index, default="cpu")
        name = best if device == "auto" else device
        able = [worker for worker, devices in known.items() if name in devices]
        return able if 0 < len(able) < len(self._devices) else None

    def _end_worker_of(self, future: "Future[bytes]") -> None:
        """Have the nanny of the hanging worker restart it."""
        processing: dict[str, Any] = self._client.processing()
        hanging = [worker for worker, keys in processing.items() if future.key in keys]
        self._client.restart_workers(hanging, raise_for_error=False)


connect = DaskLink
