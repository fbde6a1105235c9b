"""One open tab as the server sees it: Streamlit's own messages over its own WebSocket, without a browser."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from dml_viz.data.wire import unpack

LONGEST_WAIT = 120.0  # s
PACE = 0.2  # s from one picture to the next
# After an interrupted run (by st.rerun, or by a change of page) comes the run that counts.
INTERRUPTED = ForwardMsg.FINISHED_EARLY_FOR_RERUN


@dataclass
class Visitor:
    """A tab on ``page`` with the controls received from the server, by their key."""

    url: str
    page: str
    query: str
    socket: Any
    controls: dict[str, tuple[Any, str]] = field(default_factory=dict)  # key -> (element, fragment)
    touched: dict[str, WidgetState] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    stream: str = ""
    script: str = ""  # the server's name of the page
    cookie: str = ""
    figures: set[str] = field(default_factory=set)
    alerts: list[str] = field(default_factory=list)

    async def look(self) -> float:
        """Run the page once without a change; return the seconds until its script had finished."""
        return await self._ask("", ())

    async def slide(self, key: str, share: float) -> float:
        """Move the slider ``key`` to ``share`` (0 to 1) of its length; return the seconds until the rerun had finished."""
        slider, fragment = self._control(key)
        steps = round(share * (slider.max - slider.min) / slider.step)
        moved = WidgetState(id=slider.id)
        moved.double_array_value.data.append(slider.min + steps * slider.step)
        self.touched[key] = moved
        return await self._ask(fragment, ())

    async def press(self, key: str) -> float:
        """Press the button ``key``; return the seconds until the rerun had finished."""
        button, fragment = self._control(key)
        return await self._ask(fragment, (WidgetState(id=button.id, trigger_value=True),))

    def _control(self, key: str) -> tuple[Any, str]:
        if key not in self.controls:
            reason = "; ".join(self.faults) or f"its controls are {', '.join(sorted(self.controls))}"
            raise LookupError(f"page {self.page!r} sent no control {key!r}: {reason}")
        return self.controls[key]

    async def _ask(self, fragment: str, now: tuple[WidgetState, ...]) -> float:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = "" if self.script else self.page
        message.rerun_script.page_script_hash = self.script
        message.rerun_script.fragment_id = fragment
        message.rerun_script.widget_states.widgets.extend((*self.touched.values(), *now))
        asked = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while True:
            raw = await asyncio.wait_for(self.socket.recv(), LONGEST_WAIT)
            answer = ForwardMsg.FromString(raw)
            kind = answer.WhichOneof("type")
            if kind == "script_finished" and answer.script_finished != INTERRUPTED:
                return time.perf_counter() - asked
            if kind == "navigation":
                self.script = answer.navigation.page_script_hash
            if kind == "page_info_changed":
                self.query = answer.page_info_changed.query_string  # as the browser's address
            if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                self._receive(answer.delta.new_element, answer.delta.fragment_id)

    def _receive(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind in ("slider", "button"):
            control = getattr(element, kind)
            # The id is $$ID-<hash>-<key>.
            self.controls[control.id.split("-", 2)[-1]] = (control, fragment)
        elif kind == "exception":
            self.faults.append(f"{element.exception.type}: {element.exception.message}"[:200])
        elif kind in ("alert", "toast"):
            self.alerts.append(getattr(element, kind).body)
        elif kind == "bidi_component":
            sent = element.bidi_component.SerializeToString()
            self.stream = next((found.decode() for found in re.findall(rb"/live/[\w-]+", sent)), self.stream)
            self.figures |= {found.decode() for found in re.findall(rb"figures/[\w-]+/[0-9a-f]{32}", sent)}


@asynccontextmanager
async def visiting(url: str, page: str, query: str = "", cookie: str = "") -> AsyncIterator[Visitor]:
    """A tab on ``page`` of the app at ``url``, in the browser with that ``cookie``, closed at the end of the block."""
    address = f"ws{url.removeprefix('http')}/_stcore/stream"
    async with websockets.connect(
        address,
        subprotocols=[websockets.Subprotocol("streamlit")],
        origin=websockets.Origin(url),
        max_size=None,
        additional_headers={"Cookie": cookie},
        ping_interval=None,
        open_timeout=LONGEST_WAIT,
    ) as socket:
        visitor = Visitor(url, page, query, socket, cookie=cookie)
        await visitor.look()
        yield visitor


@dataclass
class Progress:
    """The last report of a job: steps and seconds of worker time, over all its runs."""

    steps: int = 0
    seconds: float = 0.0


async def watch(visitor: Visitor, progress: Progress, seen: Callable[[], None] = lambda: None) -> None:
    """Draw the visitor's job as its page does, until cancelled; ``seen`` is called after each picture."""
    async with live(visitor) as socket:
        await socket.send('{"want": "subject"}')
        after, seeds = -1, 1
        while True:
            header, _ = unpack(await socket.recv())
            if header["kind"] == "subject":
                seeds = header["seeds"]
            else:
                after = max(after, header["latest"])
                progress.steps = sum(member["step"] for member in header["members"])
                progress.seconds = sum(seeds * member["seconds"] for member in header["members"])
                seen()
                await asyncio.sleep(PACE)
            want = {"want": "subject"} if header["kind"] == "tick" and after < 0 else {"want": "next", "after": after}
            await socket.send(json.dumps(want))


def live(visitor: Visitor) -> Any:
    """A socket to the visitor's job."""
    if not visitor.stream:
        raise RuntimeError(f"no run: {visitor.alerts or visitor.faults}")
    url = f"ws{visitor.url.removeprefix('http')}{visitor.stream}"
    headers = {"Cookie": visitor.cookie}
    return websockets.connect(url, origin=websockets.Origin(visitor.url), max_size=None, additional_headers=headers)
