"""Delivery of frames to the app, or to a file: by a thread of its own and of the newest frame only, so that no loop waits."""

import http.client
import json
import os
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from typing import Protocol
from urllib.parse import urlsplit

import torch

from dml_viz.data.wire import joined
from dml_viz.training.watch.pace import APART_AT_FIRST

VARIABLE = "DML_VIZ_WATCH"
FILE, MOST_FILE = "run.dml", 256_000_000  # bytes
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 20.0  # seconds of pause after a failure; doubled after each further one, up to the second
AFTER_REFUSAL = 4.0  # seconds of pause
ANSWERED_WITHIN, LAST_WITHIN = 30.0, 10.0  # seconds
REST = 2.0  # seconds without a frame, after which the values of the loss are sent alone
LATER = (http.client.TOO_MANY_REQUESTS, http.client.CONFLICT)  # answers to what may come again
TRIED_AGAIN = (OSError, http.client.HTTPException)


def state_folder() -> Path:
    """The folder in which this user's app writes its address and token."""
    return Path(os.environ.get("XDG_STATE_HOME", "~/.local/state")).expanduser() / "dml-viz"


def address_file() -> Path:
    """The file with the address of the app that waits for runs on this machine; it exists as long as the app runs."""
    return state_folder() / "watch"


def noted_address() -> str:
    """The address in `address_file`; "" where there is none."""
    try:
        return address_file().read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def of_primary_process(say: Callable[[str], None]) -> bool:
    """Whether this process is the first of those that train together; the others are not watched."""
    try:
        of_many = torch.distributed.is_available() and torch.distributed.is_initialized()
        return not of_many or torch.distributed.get_rank() == 0
    except Exception as error:
        say(f"cannot tell which process this is: {error}")
        return True


class Loop(Protocol):
    """A watched loop, whose other messages are sent, too, and which is notified of arrivals."""

    def rest(self) -> bytes | None:
        """A message without a frame; None without any."""

    def mark_values_delivered(self) -> None:
        """Note that the newest message has arrived."""


class Sender:
    """Delivers the newest of the offered frames, from a thread that begins with the first frame and ends with the process.

    ``to`` is an address, of http where it does not say so, with the token behind ``#``; by default that of the environment or of
    `address_file`. Without an address, or if a default address does not answer the first frame, frames are appended to
    ``run.dml``.
    """

    thread_type: type[Thread] = Thread

    def __init__(self, to: str = "") -> None:
        named = to or os.environ.get(VARIABLE, "")
        self.run = secrets.token_hex(6)
        self.delivered = 0
        self.spent = 0.0  # seconds of a processor
        self.wants_images = True
        self._address, self._certain = named or noted_address(), bool(named)
        if self._address and "://" not in self._address:
            self._address = f"http://{self._address}"
        self._kept = "no app waits for runs: this one"  # in words, what is in a file, and why
        self._newest: Callable[[], bytes] | None = None  # the newest frame, until it has arrived
        self._loop: Loop | None = None
        self._ended, self._ends_by = False, 0.0
        self._news = Condition()
        self._thread: Thread | None = None
        self._process = os.getpid()
        self._connection: http.client.HTTPConnection | None = None
        self._asking = False  # whether an answer of the app is awaited
        self._pause = 0.0  # seconds until the app is asked again; 0 while it answers
        self._sentences: set[str] = set()

    def offer_latest(self, make: Callable[[], bytes], loop: Loop, *, wait: bool = False) -> None:
        """Deliver the frame that ``make`` returns, which the thread calls; it replaces a frame of ``loop`` that has not arrived.

        With ``wait`` no frame takes another's place, as long as the app answers.
        """
        if os.getpid() != self._process:
            return  # a fork of the process that trains
        with self._news:
            if wait and self._thread:
                self._news.wait_for(lambda: self._newest is None or self._pause > 0, ANSWERED_WITHIN)
            self._newest, self._loop = make, loop
            self._news.notify_all()
        if self._thread is None:
            self._thread = self.thread_type(target=self._deliver, name="dml-viz watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Deliver the last frame, to a file if the app does not take it; wait for that at most `LAST_WITHIN` seconds."""
        with self._news:
            self._ended, self._ends_by = True, time.monotonic() + LAST_WITHIN / 2
            self._news.notify_all()
        if self._thread:
            self._thread.join(LAST_WITHIN / 2)
            if not self._asking:  # a thread that makes a frame while the interpreter ends would abort the process
                self._thread.join(LAST_WITHIN / 2)
        if self._newest and self._thread and (self._asking or not self._thread.is_alive()):
            self._kept, self.wants_images = "the app has not taken the end of this run: it", True
            self._send(self._newest, self._append)

    def say(self, what: str) -> None:
        """Print a sentence once, on the standard error output."""
        if what not in self._sentences:
            self._sentences.add(what)
            print(f"dml-viz watch: {what}", file=sys.stderr, flush=True)

    def _deliver(self) -> None:
        while not self._ended:
            began, used = time.monotonic(), time.thread_time()
            done = self._send(self._newest, self._hand_over)
            self.spent += time.thread_time() - used
            pause = self._pause or (APART_AT_FIRST if done else FIRST_PAUSE)
            with self._news:
                self._news.wait_for(lambda: self._ended, max(0.0, began + pause - time.monotonic()))
                self._news.wait_for(lambda: self._newest is not None or self._ended, REST if self.delivered else None)
        self._pause = 0.0  # the app may be back
        while not self._pause and time.monotonic() < self._ends_by:
            if self._send(self._newest, self._hand_over) and self._send(None, self._hand_over):
                break
            time.sleep(APART_AT_FIRST)
        self._end()

    def _send(self, frame: Callable[[], bytes] | None, hand_over: Callable[[bytes], bool]) -> bool:
        """Deliver ``frame``, or the values of the loss alone; return whether nothing is left of that. Errors are printed."""
        try:
            body = frame() if frame else self._loop and self._loop.rest()
            if self._loop and body:
                if not hand_over(body):
                    return False
                self.delivered += frame is not None
                self._loop.mark_values_delivered()
        except Exception as error:
            self.say(f"a frame was left out: {type(error).__name__}: {error}")
        with self._news:
            if self._newest is frame:
                self._newest = None
            self._news.notify_all()
        return True

    def _end(self) -> None:
        if self._address and not (self._newest or self._pause):
            with suppress(*TRIED_AGAIN):
                self._post(b"")
        if self._connection:
            self._connection.close()

    def _hand_over(self, body: bytes) -> bool:
        """Deliver ``body``; return whether the app, or the file, has it."""
        if not self._address:
            return self._append(body)
        where = self._address.partition("#")[0]
        try:
            status, answer = self._post(body)
        except TRIED_AGAIN as error:
            if isinstance(error, ConnectionRefusedError) and self.delivered == 0 and not self._certain:
                self._address = ""
                return self._append(body)
            self._pause = min(LONGEST_PAUSE, 2 * self._pause or FIRST_PAUSE)
            self.say(f"{where} does not answer ({error}); the loop goes on, and frames are shown once it does")
            return False
        self._pause = 0.0
        if status != http.client.OK:
            if status not in LATER:
                self._pause = AFTER_REFUSAL
                self.say(f"the app refuses this run: {answer}")
            return False
        try:
            reply = json.loads(answer)
        except ValueError:
            self._pause = AFTER_REFUSAL
            self.say(f"{where} is no app that watches loops; its answer begins: {answer[:60]}")
            return False
        self.wants_images = bool(reply.get("wants_images"))
        self.say(f"this run is at {where.rstrip('/')}/{reply['page']}")
        return True

    def _post(self, body: bytes) -> tuple[int, str]:
        """The status and the text of the answer to ``body``."""
        idle, self._connection = self._connection, None
        self._asking = True
        try:
            return self._answer_to(idle, body) if idle else self._answer_to(self._connected(), body)
        except TRIED_AGAIN:
            if idle is None:
                raise
            return self._answer_to(self._connected(), body)  # the app closes idle connections
        finally:
            self._asking = False

    def _connected(self) -> http.client.HTTPConnection:
        parts = urlsplit(self._address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.netloc, timeout=ANSWERED_WITHIN)

    def _answer_to(self, connection: http.client.HTTPConnection, body: bytes) -> tuple[int, str]:
        parts = urlsplit(self._address)
        headers = {"Authorization": f"Bearer {parts.fragment}", "Content-Type": "application/octet-stream"}
        try:
            connection.request("POST", f"{parts.path.rstrip('/')}/watch/{self.run}", body, headers)
            response = connection.getresponse()
            text = response.read(100_000).decode("utf-8", "replace").strip()
        except TRIED_AGAIN:
            connection.close()
            raise
        self._connection = connection
        return response.status, text if response.status == http.client.OK else refusal(response.status, response.reason, text)

    def _append(self, body: bytes) -> bool:
        path = Path(FILE)
        if path.exists() and path.stat().st_size + len(body) > MOST_FILE:
            raise OSError(f"{path.resolve()} has {MOST_FILE // 1_000_000} MB, and nothing more is written to it")
        with path.open("ab") as file:
            file.write(joined([body]))
        self.wants_images = False
        self.say(f"{self._kept} is in {path.resolve()}; dml-viz watch {FILE} shows it")
        return True


def refusal(status: int, reason: str, answer: str) -> str:
    """The words of an answer that refuses; its status where it has none, or is a proxy's page."""
    words = answer.strip()[:300]
    return words if words and not words.startswith("<") else f"{status} {reason}"
