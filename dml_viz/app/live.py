"""The live picture on a page: a component that draws a run from the server's stream."""

import base64
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dml_viz.app import provenance_log, tab, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.theme import theme
from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.engine import Job
from dml_viz.engine.job_view import JobView
from dml_viz.engine.messages import fed_message, subject_message
from dml_viz.engine.recordings import RECORDED
from dml_viz.params import Param
from dml_viz.plot.style import palette
from dml_viz.room.source import VIEW, Picture
from dml_viz.room.terms import TERMS
from dml_viz.serve.files import address

LAYOUTS = ("train", "start", "embedding", "race")
BEGUN_WITHIN = 20.0  # seconds


@dataclass(frozen=True)
class LiveSelection:
    """What the visitor sees: the chosen step (None for the newest), the query, and a status just reached."""

    step: int | None
    query: int | None
    status: str | None


def live(
    job: JobView | None = None,
    *,
    recorded: str = "",
    key: str,
    layout: str = "train",
    picture: Picture = "plane",
    step: int | None = None,
    query: int | None = None,
    setting: str = "step",
    waits: bool = False,
) -> LiveSelection:
    """Show ``job`` as it trains, or the ``recorded`` run ("start"); ValueError for neither.

    ``step`` and ``query`` are shown first, and whenever they change. The browser reruns the page once when the job's status
    changes. If no WebSocket can be opened, the job's messages come with Streamlit's own instead, twice a second. Another run
    under the same key leaves the old picture until its first frame has come. ``layout`` is one of `LAYOUTS`; another raises
    ValueError. ``picture`` is that of points of more than three dimensions, ``setting`` the key of the step in a link. A recorded
    run that ``waits`` shows its first step, and plays once it waits no more.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout {layout!r} is not known; choose one of {', '.join(LAYOUTS)}")
    if (job is None) != bool(recorded):
        raise ValueError(f"show either a job or a recorded run, not {job!r} and {recorded!r}")
    url = f"/live/{job.id}" if job else ""
    fed = job if job and tab.FEED.of(key).find() == url else None
    viewed = f"{key}.view"
    view = str(url_state.setting(viewed, VIEW))
    url_state.write_setting(viewed, view, "")

    def look() -> None:
        tab.control(viewed).set(st.session_state[key]["view"]["value"] or "")

    result = component("live")(
        key=key,
        data={
            "mode": "recorded" if recorded else "bytes" if fed else "live",
            "url": url or f"/{address(f'recorded/{recorded}.bin')}",
            "subject": base64.b64encode(_begun(fed)).decode() if fed else None, "palette": palette(), "theme": theme(),
            "layout": layout, "picture": picture, "waits": waits, "terms": TERMS, "view": view or None,
            "step": step, "query": query, "status": job.status if job else None, "setting": setting,
            "recipe": provenance_log.recipe_of(key, theme(), RECORDED[recorded] if recorded else None, images=True),
        },
        # A state without a callback would not be returned.
        on_step_change=lambda: None, on_query_change=lambda: None, on_status_change=lambda: None, on_view_change=look,
        on_points_change=lambda: None,
        on_fallback_change=lambda: tab.FEED.of(key).set(url),
    )  # fmt: skip
    selection = LiveSelection(_sent(key, "step", step), _sent(key, "query", query), result.status)
    if fed:
        _feed(url, key, fed, selection.step, str(result.points or ""))
    return selection


def live_in_link(
    job: JobView, step: Param, point: Param, *, key: str, layout: str, at: int | None, rests: int = -1, picture: Picture = "plane"
) -> None:
    """Show ``job`` at step ``at``, None for the newest; the link keeps the ``step`` and the ``point`` that the visitor picks.

    While the newest step is shown, the link has ``rests`` as the step.
    """
    query = point_in_link(key, point)
    selection = live(job, key=key, layout=layout, picture=picture, step=at, query=query, setting=step.name)
    for knob, value, none in ((step, selection.step, rests), (point, selection.query, point.default)):
        st.session_state[knob.name] = knob.default if value is None else value
        url_state.write_setting(knob.name, none if value is None else value, knob.default)


def point_in_link(key: str, point: Param) -> int | None:
    """The ``point`` that the visitor picked in the live picture ``key``, else that of the link, which keeps it; None for none.

    It is asked for before the picture is drawn, whose recipe has the link.
    """
    of_link = int(url_state.setting(point.name, point))
    picked: int | None = _sent(key, "query", of_link if of_link >= 0 else None)
    value = st.session_state[point.name] = point.default if picked is None else picked
    url_state.write_setting(point.name, value, point.default)
    return picked


def wait_for_subset(job: JobView) -> EvaluationSubset:
    """The evaluated points of a job, after waiting for them; the page ends with a sentence if the job cannot begin."""
    if isinstance(job, Job):
        job.wait_for(lambda begun: begun.subject is not None or begun.status == "failed", BEGUN_WITHIN)
    if job.subject is None:
        what = "run" if job.experiment.is_single else "race"
        st.error(f"The {what} has not begun: {job.reason or 'the server is busy; reload the page in a while'}")
        st.stop()
    return job.subject


def _begun(job: JobView) -> bytes:
    wait_for_subset(job)
    message = subject_message(job)
    assert message is not None  # a job with evaluated points has a first message
    return message


@st.fragment(run_every=0.5)
def _feed(url: str, key: str, job: JobView, step: int | None, points: str) -> None:
    job.watch()
    answered = tab.FED_POINTS.of(key)
    component("feed")(key=f"{key}.feed", data=fed_message(job, url, step, points if points != answered.get() else ""))
    answered.set(points)


def _sent(key: str, name: str, known: Any) -> Any:
    """What the browser has sent as ``name`` of the picture ``key`` since its link was opened; ``known`` without that."""
    state = st.session_state.get(key)  # of a branch the text of its setting, whose key is the picture's
    sent = state.get(name) if isinstance(state, dict) else None
    sent = sent if isinstance(sent, dict) else None  # a tab that was open before an upgrade has plain values
    earlier = tab.SENT_EARLIER.of(f"{key}.{name}")
    if url_state.arrives(f"sent.{key}.{name}"):
        earlier.set(sent)
    return known if sent is None or sent == earlier.get() else sent["value"]
