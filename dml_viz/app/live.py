"""The live picture on a page: our component that draws a run in place, fed by the server's stream."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.component_loader import loader
from dml_viz.app.room import ReadSetting
from dml_viz.app.theme import theme
from dml_viz.data.wire import pack
from dml_viz.engine.files import address
from dml_viz.engine.recordings import RECORDED
from dml_viz.plot.style import palette

LAYOUTS = ("train", "start", "embedding", "race")

_LIVE = st.components.v2.component("dml_viz.live", js=loader("live"), isolate_styles=False)
_FEED = st.components.v2.component("dml_viz.feed", js=loader("feed"), isolate_styles=False)


@dataclass(frozen=True)
class View(ReadSetting):
    """Which points of a live picture are shown, and how, as a link writes it: ``seen~set~images~3``; empty for the default."""

    default: str = ""

    def read(self, text: str) -> str:
        """``text`` itself; ValueError for another word than these."""
        wrong = [word for word in text.split("~") if not re.fullmatch(r"(seen|set|images|points|\d{1,3})?", word)]
        if wrong:
            raise ValueError(
                f"“{wrong[0][:30]}” shows no points; write seen, set, images, points or the number of a class"
            )
        return text


@dataclass(frozen=True)
class Shown:
    """What the visitor sees: the step scrubbed to (None while following the run), the query, and a status just reached."""

    step: int | None
    query: int | None
    status: str | None


@dataclass(frozen=True)
class Messages:
    """A run's messages without its stream: the subject, and the frame at a step (None: the newest) with all curve rows."""

    subject: Callable[[], bytes]
    frame: Callable[[int | None], bytes]


def live(
    url: str = "", *, recorded: str = "", key: str, layout: str = "train", step: int | None = None,
    query: int | None = None, status: str | None = None, messages: Messages | None = None, setting: str = "step",
) -> Shown:  # fmt: skip
    """Show the run that streams at ``url`` ("/live/<id>"), or the ``recorded`` one ("start"); ValueError for neither.

    ``step`` and ``query`` are shown first, and whenever they change. ``status`` is what the page believes the run's status
    to be: the browser reruns the page once when it is another. Where no WebSocket reaches the server, ``messages`` come
    with Streamlit's own instead, twice a second. Another run under the same key keeps the old picture until its first
    frame is there. ``layout`` is one of `LAYOUTS`; another raises ValueError. ``setting`` is what holds the step in a link.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout {layout!r} is not known; choose one of {', '.join(LAYOUTS)}")
    if bool(url) == bool(recorded):
        raise ValueError(f"name either the url of a live run or a recorded one, not {url!r} and {recorded!r}")
    fed = messages if url and st.session_state.get(f"{key}.fed") == url else None
    viewed = f"{key}.view"
    view = str(url_state.setting(viewed, View()))
    url_state.keep(viewed, view, "")

    def look() -> None:
        sent = st.session_state[key].get("view")
        st.session_state[viewed] = sent if isinstance(sent, str) else ""

    result = _LIVE(
        key=key,
        data={
            "mode": "recorded" if recorded else "bytes" if fed else "live",
            "url": url or f"/{address(f'recorded/{recorded}.bin')}",
            "subject": base64.b64encode(fed.subject()).decode() if fed else None, "palette": palette(), "theme": theme(),
            "layout": layout, "terms": glossary.TERMS, "view": view or None,
            "step": step, "query": query, "status": status, "setting": setting,
            "recipe": provenance_log.exported(key, theme(), RECORDED[recorded] if recorded else None),
        },
        # A state without a callback would not be returned.
        on_step_change=lambda: None, on_query_change=lambda: None, on_status_change=lambda: None, on_view_change=look,
        on_fallback_change=lambda: st.session_state.update({f"{key}.fed": url}),
    )  # fmt: skip
    shown = Shown(_newer(result.step, step), _newer(result.query, query), result.status)
    if fed:
        _feed(url, key, fed, shown.step)
    return shown


@st.fragment(run_every=0.5)
def _feed(url: str, key: str, messages: Messages, step: int | None) -> None:
    message = np.frombuffer(messages.frame(step), np.uint8)
    _FEED(key=f"{key}.feed", data=pack({"kind": "feed", "url": url, "step": step}, {"message": message}))


def _newer(sent: float | None, known: int | None) -> int | None:
    """What the browser sent, where it has sent anything; -1 stands for none."""
    if sent is None:
        return known
    return int(sent) if sent >= 0 else None
