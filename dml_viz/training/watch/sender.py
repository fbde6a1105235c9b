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
FIRST_PAUSE = 1.0  # seconds of pause after a failure; doubled after each further one
ANSWERED_WITHIN, LONGEST_PAUSE, LAST_WITHIN = 30.0, 20.0, 10.0  # seconds
REST = 2.0  # seconds without a frame, after which the values of the loss are sent alone
LATER = (http.client.TOO_MANY_REQUESTS, http.client.CONFLICT)  # answers to what may come again
TRIED_AGAIN = (OSError, http.client.HTTPException)


def state_folder() -> Path:
    """The folder in which this user's app writes its address and token."""
    return Path(os.environ.get("XDG_STATE_HOME", "~/.local/state")).expanduser() / "dml-viz"


def address_file() -> Path:
    """The file with the address of the app that waits for runs on this machine; it exists as long as the app runs."""
    return state_folder() / "watch"


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
        self._address, self._certain = named or _noted(), bool(named)
        if self._address and "://" not in self._address:
            self._address = f"http://{self._address}"
        self._kept = "no app waits for runs: this one"  # in words, what is in a file, and why
        self._offered: Callable[[], bytes] | None = None
        self._loop: Loop | None = None
        self._ended, self._ends_by = False, 0.0
        self._news = Condition()
        self._thread: Thread | None = None
        self._process = os.getpid()
        self._connection: http.client.HTTPConnection | None = None
        self._failures = 0
        self._sentences: set[str] = set()

    def offer_latest(self, make: Callable[[], bytes], loop: Loop, *, wait: bool = False) -> None:
        """Deliver the frame that ``make`` returns, which the thread calls; it replaces a frame of ``loop`` that still waits.

        With ``wait`` no frame takes another's place, as long as the app answers.
        """
        if os.getpid() != self._process:
            return  # a fork of the process that trains
        with self._news:
            if wait and self._thread:
                self._news.wait_for(lambda: self._offered is None or self._failures > 0, ANSWERED_WITHIN)
            self._offered, self._loop = make, loop
            self._news.notify_all()
        if self._thread is None:
            self._thread = self.thread_type(target=self._deliver, name="dml-viz watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Deliver the last frame, to a file where the app has not answered; wait for that at most `LAST_WITHIN` seconds."""
        with self._news:
            self._ended, self._ends_by = True, time.monotonic() + LAST_WITHIN
            self._news.notify_all()
        if self._thread:
            self._thread.join(LAST_WITHIN)  # a thread that makes a frame while the interpreter ends would abort the process

    def say(self, what: str) -> None:
        """Print a sentence once, on the standard error output."""
        if what not in self._sentences:
            self._sentences.add(what)
            print(f"dml-viz watch: {what}", file=sys.stderr, flush=True)

    def _deliver(self) -> None:
        left: Callable[[], bytes] | None = None  # the newest frame that did not arrive
        while True:
            with self._news:
                self._news.wait_for(lambda: self._offered is not None or self._ended, REST if self.delivered else None)
                make, self._offered = self._offered, None
                self._news.notify_all()
            began, used = time.monotonic(), time.thread_time()
            if self._ended and (make is None or self._failures):
                if self._failures:
                    self._address, self._kept = "", "the app has not taken the end of this run: it"
                self._send(make or left or self._rest)
                self._end()
                return
            arrived = self._send(make or self._rest)
            self.delivered += arrived and make is not None
            left = None if arrived else make or left
            self.spent += time.thread_time() - used
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self._failures - 1)) if self._failures else APART_AT_FIRST
            with self._news:
                self._news.wait_for(lambda: self._ended, max(0.0, began + pause - time.monotonic()))
                if self._ended and not arrived and self._failures == 0 and time.monotonic() < self._ends_by:
                    self._offered = self._offered or make  # the app was busy; this one is the last
                    self._news.wait_for(lambda: False, APART_AT_FIRST)

    def _send(self, make: Callable[[], bytes | None]) -> bool:
        """Deliver the message of ``make``; return whether the app, or the file, has it. Errors are printed."""
        try:
            body = make()
            if not body or not self._hand_over(body):
                return False
            if self._loop:
                self._loop.mark_values_delivered()
        except Exception as error:
            self.say(f"a frame was left out: {type(error).__name__}: {error}")
            return False
        return True

    def _rest(self) -> bytes | None:
        return self._loop.rest() if self._loop else None

    def _end(self) -> None:
        if self._address and self._failures == 0:
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
            self._failures += 1
            self.say(f"{where} does not answer ({error}); the loop goes on, and frames are shown once it does")
            return False
        self._failures = 0
        if status != http.client.OK:
            if status not in LATER:
                self._failures = 3
                self.say(f"the app refuses this run: {answer}")
            return False
        try:
            reply = json.loads(answer)
        except ValueError:
            self._failures = 3
            self.say(f"{where} is no app that watches loops; its answer begins: {answer[:60]}")
            return False
        self.wants_images = bool(reply.get("wants_images"))
        self.say(f"this run is at {where.rstrip('/')}/{reply['page']}")
        return True

    def _post(self, body: bytes) -> tuple[int, str]:
        """The status and the text of the answer to ``body``."""
        idle, self._connection = self._connection, None
        try:
            return self._answer_to(idle, body) if idle else self._answer_to(self._connected(), body)
        except TRIED_AGAIN:
            if idle is None:
                raise
            return self._answer_to(self._connected(), body)  # the app closes idle connections

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
            self.say(f"{path.resolve()} has {MOST_FILE // 1_000_000} MB, and nothing more is written to it")
            return False
        with path.open("ab") as file:
            file.write(joined([body]))
        self.wants_images = False
        self.say(f"{self._kept} is in {path.resolve()}; dml-viz watch {FILE} shows it")
        return True


def refusal(status: int, reason: str, answer: str) -> str:
    """The words of an answer that refuses; its status where it has none, or is a proxy's page."""
    words = answer.strip()[:300]
    return words if words and not words.startswith("<") else f"{status} {reason}"


def _noted() -> str:
    """The address in `address_file`; "" where there is none."""
    try:
        return address_file().read_text(encoding="utf-8").strip()
    except OSError:
        return ""
