"""A connection to Ray, as a client of its head. If there are GPUs, the calls that need one share them evenly."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import ray
from ray.exceptions import NodeDiedError, OutOfMemoryError, WorkerCrashedError

from dml_viz.engine.cluster.worker import answer
from dml_viz.engine.versions import versions

SECONDS = 5.0  # within which a head must answer


class RayLink:
    """The client of the head at ``host``; each worker answers the pickled call ``prepare``. ConnectionError if none answers."""

    died = (WorkerCrashedError, NodeDiedError, OutOfMemoryError)

    def __init__(self, host: str, prepare: bytes) -> None:
        self._context = ray.init(f"ray://{host}", logging_level="error", log_to_driver=False)
        self._answer = ray.remote(answer)
        # Ray calls back in the thread of its own answers, in which sending the next call would wait for ever.
        self._landing = ThreadPoolExecutor(1, "calls of Ray")
        self._share = 0.0
        for _ in range(self.workers()):
            self._submit(prepare, "auto")

    def submit(self, message: bytes, device: str, landed: Callable[[Callable[[], bytes]], None]) -> Callable[[], None]:
        reference = self._submit(message, device)
        reference.future().add_done_callback(lambda done: self._landing.submit(landed, done.result))
        return partial(ray.cancel, reference, force=True)

    def workers(self) -> int:
        resources = ray.cluster_resources()
        processors = int(resources.get("CPU", 0))
        self._share = min(1.0, resources.get("GPU", 0) / max(1, processors))
        return processors

    def close(self) -> None:
        self._context.disconnect()

    def _submit(self, message: bytes, device: str) -> "ray.ObjectRef[bytes]":
        shared = 0.0 if device == "cpu" else self._share
        return self._answer.options(num_cpus=1, num_gpus=shared).remote(message, dict(versions()))


connect = RayLink
