"""Workers of a cluster as an executor of the standard library: ``dask://host:8786`` or ``ray://host:10001``.

Calls are pure. A call that is lost on its way, or with the scheduler, is sent again as soon as the scheduler is back: nothing
fails meanwhile, and `Cluster.trouble` says why calls wait. A worker of other versions than the server's makes no calls.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from threading import Event, Lock, Thread
from typing import Any, Protocol, TypeVar

from dml_viz.engine.cluster.worker import DifferentVersionsError
from dml_viz.engine.process import WorkerDied, call_message
from dml_viz.engine.worker import unpack

KINDS = ("dask", "ray")
CLUSTERS = "dask://host:8786 or ray://host:10001"  # what can be written
LOOK_SECONDS = 1.0
PATIENCE = 10.0  # s within which a scheduler must answer; libraries wait longer, some for ever, when a network is down
LONGEST = 60.0  # s for a connection: after each that took too long, the next one has twice the time
T = TypeVar("T")


class Link(Protocol):
    """A connection to a scheduler. ``died`` are its errors for a call during which workers died; any other error loses a call."""

    died: tuple[type[BaseException], ...]

    def submit(self, message: bytes, device: str, landed: Callable[[Callable[[], bytes]], None]) -> Callable[[], None]:
        """Send a pickled call to a worker with ``device``; return a function that ends that worker.

        ``landed`` is called with a function that returns the answer, or raises.
        """

    def workers(self) -> int:
        """The number of calls that the cluster makes at once, asked of the scheduler; an error if it does not answer in time."""

    def close(self) -> None:
        """Close the connection; the cluster goes on without this server."""


@dataclass(eq=False)
class ClusterCall:
    """A pickled call, the device that it needs, and the future of its result; ``end`` ends the worker that makes it."""

    message: bytes
    device: str
    future: Future[Any] = field(default_factory=Future)
    sent: bool = False
    end: Callable[[], None] = lambda: None


def is_cluster(address: str) -> bool:
    """Whether ``address`` names the scheduler of a cluster of one of `KINDS`."""
    kind, _, host = address.partition("://")
    return kind in KINDS and bool(host)


class Cluster(Executor):
    """The workers of the scheduler at ``address``, each of which makes the call ``prepare`` first.

    ValueError for an address of none of `KINDS`, or if its library is not installed.
    """

    def __init__(self, address: str, prepare: Callable[[], object]) -> None:
        kind, _, host = address.partition("://")
        if not is_cluster(address):
            raise ValueError(f"workers = {address!r} is no cluster; write {CLUSTERS}")
        try:
            connect = import_module(f"dml_viz.engine.cluster.{kind}_link").connect
        except ImportError as error:
            raise ValueError(f"{address} needs a library: pip install -r requirements-{kind}.txt ({error})") from error
        self.address = address
        self._connect: Callable[[], Link] = partial(connect, host, call_message(prepare))
        self._link: Link | None = None
        self._calls: dict[Future[Any], ClusterCall] = {}
        self._lock, self._closing = Lock(), Event()
        self._answered = False  # since the connection was made: until then workers may be starting
        self.workers = 1
        self.trouble = ""  # why calls wait, in a sentence
        self._thread = Thread(target=self._tend, name="cluster", daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future result of a call, made by a worker with the device of the run among its arguments."""
        device = next((arg.run.device for arg in args if hasattr(arg, "run")), "auto")
        call = ClusterCall(call_message(fn, *args, **kwargs), device)
        with self._lock:
            if self._closing.is_set():
                raise RuntimeError("the connection to the cluster is closed; make another")
            self._calls[call.future] = call
        self._send(call)
        return call.future

    def kill(self, future: Future[Any]) -> None:
        """End the worker that makes the call of ``future``, if the cluster can do that; the call is forgotten."""
        with self._lock:
            call = self._calls.pop(future, None)
        if call:
            with suppress(Exception):  # of a scheduler that has gone just now
                call.end()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection; calls without an answer are cancelled."""
        del cancel_futures  # their answers are not read any more
        with self._lock:
            self._closing.set()
            calls, self._calls = tuple(self._calls), {}
        for future in calls:
            future.cancel()
        if wait:
            self._thread.join()

    def _tend(self) -> None:
        patience = PATIENCE
        while not self._closing.is_set():
            try:
                self._link = self._link or call_within(patience, self._connect, lambda link: link.close())
                patience, workers = PATIENCE, call_within(PATIENCE, self._link.workers)
            except Exception as error:
                if not self._link:
                    patience = min(2 * patience, LONGEST)
                self._lose(f"{type(error).__name__}: {error}".partition("\n")[0])
            else:
                self.workers = max(1, workers)
                if not workers:
                    self.trouble = f"The cluster {self.address} has no workers; what trains goes on when it has."
                self._send_all()
            self._closing.wait(LOOK_SECONDS)
        self._lose("")

    def _lose(self, why: str) -> None:
        """Close the connection to a scheduler that does not answer; all calls will be sent again."""
        self.trouble = f"The cluster {self.address} does not answer ({why}); what trains goes on when it does."
        link, self._link, self._answered = self._link, None, False
        with self._lock:
            for call in self._calls.values():
                call.sent = False
        if link:
            Thread(target=link.close, name="cluster that is lost", daemon=True).start()

    def _send_all(self) -> None:
        with self._lock:
            calls = [call for call in self._calls.values() if not call.sent]
        for call in calls:
            self._send(call)

    def _send(self, call: ClusterCall) -> None:
        with self._lock:
            # `_send_all` may be sending the call at this moment, too.
            link, call.sent = None if call.sent else self._link, self._link is not None
        if link and self._runs(call):
            try:
                call.end = link.submit(call.message, call.device, partial(self._land, call, link))
            except Exception as error:
                self._miss(call, error)

    def _land(self, call: ClusterCall, link: Link, answer: Callable[[], bytes]) -> None:
        if link is not self._link or call.future not in self._calls:
            return
        try:
            message = answer()
        except link.died as death:
            self._settle(call, partial(call.future.set_exception, WorkerDied(f"{type(death).__name__}: {death}")))
            return
        except BaseException as error:  # a cancellation, too
            self._miss(call, error)
            return
        try:
            result = unpack(message)
        except DifferentVersionsError as error:
            self._miss(call, error)
        except Exception as error:
            self._settle(call, partial(call.future.set_exception, error))
        else:
            self._settle(call, partial(call.future.set_result, result))

    def _miss(self, call: ClusterCall, error: BaseException) -> None:
        """Note that a call was lost on its way; it is sent again at the next look."""
        self.trouble = f"The cluster {self.address} lost a call, which is made again: {error}".partition("\n")[0]
        call.sent = False

    def _settle(self, call: ClusterCall, settle: Callable[[], None]) -> None:
        self.trouble, self._answered = "", True
        with self._lock:
            known = self._calls.pop(call.future, None)
        if known and self._runs(call):
            settle()

    def _runs(self, call: ClusterCall) -> bool:
        """Whether the call is not cancelled; its future is set to running once a worker has answered any call."""
        if self._answered and not call.future.running():
            return call.future.set_running_or_notify_cancel()
        return not call.future.cancelled()


def call_within(seconds: float, fn: Callable[[], T], late: Callable[[T], object] = lambda _: None) -> T:
    """The result of ``fn``, called in a thread; TimeoutError after ``seconds``, and ``late`` is called with a later result."""
    answer: Future[T] = Future()

    def ask() -> None:
        try:
            answer.set_result(fn())
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=ask, name="question to a cluster", daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        if answer.done():
            raise
        answer.add_done_callback(lambda answer: answer.exception() or late(answer.result()))
        raise TimeoutError(f"no answer for {seconds:g} s") from None
