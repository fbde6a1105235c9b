"""A visitor's own training loops: the runs that a session sees, and the picture of one."""

from types import MappingProxyType

import numpy as np
import streamlit as st
import torch

from dml_viz.app import glossary, provenance_log, tab, url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.frame import link
from dml_viz.app.live import live_in_link
from dml_viz.app.own import loss_page_links
from dml_viz.app.training_session import TrainingSession
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.engine.watched import LETTERS, MOST_BYTES, MOST_RUNS
from dml_viz.engine.watched_job import WatchedJob
from dml_viz.params import Domain, Param
from dml_viz.room.ask import NEWEST
from dml_viz.room.source import MAP_MISLEADS, QUERY, Picture, choose_projection
from dml_viz.serve.server import engine
from dml_viz.training.frame import Frame
from dml_viz.training.watch.frames import STEPS, WatchedRun

KEY, RUN, HERE = "watch", "watch.run", "train here"
SUBJECT, OPENED = "your loop", "from"  # the subject on loss pages; the key in the link of Name that loss
STEP = Param("watch.step", NEWEST, "", "step of the run", domain=Domain(NEWEST, STEPS, False, False))
MEANING = "key of a training loop; open the address that dml-viz watch printed"
VIEWER = Param(KEY, "", "", MEANING, pattern=f"([0-9a-f]{{{LETTERS}}})?")
CHOSEN = Param(RUN, "", "", MEANING, pattern=f"([0-9a-f]{{{LETTERS}}}|{HERE})?")
LOOP = TrainingSession("watch", STEP, QUERY, "watch")
WAITING = "No training loop has sent a frame yet. Add a line to yours and start it: it appears here."
LOOK = 1.0  # seconds from one look for a new run to the next
LINES = """```python
from dml_viz import watch
watch(loss)                                   # any module called as loss(z, y)
watch(loss, net=net, probe=(x, y), every=10)  # and the same points at every frame
watch.step(z, y, loss=value)                  # a loop without such a module
```"""
MEMORY = (
    f"The server keeps {MOST_RUNS} runs of yours, {MOST_BYTES // 1_000_000} MB of frames each; of a long run it leaves "
    "frames out evenly. Whoever has this page’s link sees them; no one can steer them."
)

MISLEADS = MappingProxyType(
    {
        "batch": "there is no probe, so **each frame shows another batch**: a point cannot be followed from step to step, and "
        "R@1 is that of one batch, which swings. Pass `net=` and `probe=` to follow the same points.",
        "probe": "scores are of the points of your probe alone; among more points they are lower. Whether the net was trained on "
        "their classes is for you to know.",
    }
)


def viewer_key() -> str:
    """The key of the loops that the session may see, from its link; "" for none."""
    key = str(url_state.setting(KEY, VIEWER))
    url_state.write_setting(KEY, key, "")
    return key


def is_shown() -> bool:
    """Whether a loop is shown; usable before the page has read its link."""
    return bool(tab.control(KEY).get() or KEY in st.query_params) and tab.control(RUN).get() != HERE


def watched_job() -> WatchedJob | None:
    """The run that the session looks at: the chosen one, else the newest; None without any."""
    runs = engine().watched.of(viewer_key())
    run = str(url_state.setting(RUN, CHOSEN))
    url_state.write_setting(RUN, run, "")
    return next((job for job in runs if job.id == run), runs[-1] if runs else None)


def draw() -> bool:
    """Draw the chosen loop, or a hint until the first one sends; return False if the session has none or trains here."""
    if not (key := viewer_key()):
        return False
    job, runs = watched_job(), engine().watched.of(key)
    titles = {"": "the newest", **{loop.id: _title(loop, number) for number, loop in enumerate(runs, 1)}, HERE: "train here"}
    now = tab.control(RUN, "").get()
    st.selectbox("Your training loop", tuple(titles), key=RUN, format_func=lambda job_id: titles.get(job_id, job_id), width=320)
    _look(key, runs[-1].id if runs else "")
    if now == HERE:
        return False
    if job:
        _show(job)
    else:
        st.info(WAITING, icon=":material/sensors:")
        st.markdown(LINES)
    return True


def _show(job: WatchedJob) -> None:
    """Draw the live picture of a watched run, and facts about it."""
    run, facts = job.run, job.loop.facts
    step = url_state.setting(STEP.name, STEP)
    at = job.step if step == NEWEST else min(step, job.step)
    provenance_log.note_scene(f"the training loop {run.loss.title} at step {at}", at)
    picture = picture_of_loops(run)
    live_in_link(job, STEP, QUERY, key="watched", layout="train", at=None if step == NEWEST else step, picture=picture)
    with st.sidebar:
        st.markdown("##### Your training loop")
        rows = {
            "loss": run.loss.title,
            "net": run.net,
            "dimensions": f"{run.dim:,}",
            "shown": run.dataset.title,
            "rows in a batch": f"{facts.get('rows', 0):,.0f}",
            "frames asked for": f"every {run.stride:,} steps" if run.stride > 1 else "every step",
        }
        st.markdown("\n".join(f"- {name}: **{value}**" for name, value in rows.items() if value))
        st.caption(MEMORY)
    glossary.say(f"**How these pictures mislead:** {MISLEADS[run.protocol]}{MAP_MISLEADS * (picture == 'map')}", "caption")
    settings = {KEY: viewer_key()}
    words = "Which loss made this gradient, at which knobs?"
    link("name_that_loss", {OPENED: SUBJECT, **settings}, label=words, icon=":material/label:")
    if len(engine().watched.of(viewer_key())) > 1:
        link("race", settings, label="Your loops side by side, as a race", icon=":material/flag:")
    loss_page_links.draw({"subject": SUBJECT, **settings})


def picture_of_loops(*runs: WatchedRun) -> Picture:
    """The picture of the points of watched runs; the page asks for it where a run has points that a map can show."""
    if not any(run.dim > DRAWN_UP_TO and run.protocol == "probe" for run in runs):
        return "plane"
    with st.sidebar:
        return choose_projection(PageControls())


def embeddings(job: WatchedJob, step: int | None = None) -> Embeddings:
    """The points of the frame at a step, the newest for None."""
    frame = _frame(job, step)
    y = frame.arrays["y"] if frame.names else job.loop.subject.y
    z = torch.nn.functional.normalize(torch.from_numpy(frame.z.astype(np.float64)), dim=1)
    title = f"{job.run.loss.title}, watched, step {frame.step:,}, {job.run.dataset.title}"
    plane = None if frame.plane is None else frame.plane.astype(np.float64)
    return Embeddings(z, torch.from_numpy(y.astype(np.int64)), title, plane=plane)


def names(job: WatchedJob, step: int | None = None) -> tuple[str, ...]:
    """The names of the classes of these points."""
    return _frame(job, step).names or job.loop.subject.names


def _frame(job: WatchedJob, step: int | None) -> Frame:
    frame = job.at(step)
    assert frame  # a watched run begins with a frame
    return frame


def _title(job: WatchedJob, number: int) -> str:
    return f"{number}: {job.run.loss.title}, step {job.step:,}"


@st.fragment(run_every=LOOK)
def _look(key: str, newest: str) -> None:
    """Rerun the page as soon as a new loop begins."""
    runs = engine().watched.of(key)
    if runs and runs[-1].id != newest:
        st.rerun()
