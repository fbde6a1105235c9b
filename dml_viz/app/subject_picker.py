"""The subject of an explanatory page: a scene, any step of the visitor's live run, or a file of the visitor's own."""

from collections.abc import Callable
from dataclasses import dataclass
from weakref import ref

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import frontend, provenance_log, tab, url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.live import wait_for_subset
from dml_viz.app.own import files, watched
from dml_viz.app.run_buttons import run_buttons, step_control
from dml_viz.app.run_controls import run_of_session
from dml_viz.app.scene_editor import EditedScene
from dml_viz.app.training_session import RUN
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.engine import Job
from dml_viz.engine.status import GOING
from dml_viz.losses import Loss
from dml_viz.room.markdown import to_the_letter
from dml_viz.room.run_form import EvaluatedPoints, for_training, loss_link_settings
from dml_viz.room.source import Subject
from dml_viz.room.sources import NEEDS_LABELS
from dml_viz.training.loop import Frame

SCENE, LIVE_RUN, OWN_FILE, WATCHED = SOURCES = ("scene", "live run", "your file", watched.SUBJECT)


@dataclass(frozen=True)
class Chosen:
    """The visitor's choice: ``subject()`` is the subject as of now, ``moving()`` whether it changes while a run trains.

    For a scene, ``editor()`` draws it and returns it with the names of its classes; call it once, in the page's fragment, in
    place of ``subject()``. For any other subject it is None. ``live`` is the run if the subject is a step of one; the subject
    then has the learnt tensors of the run's loss.
    """

    subject: Callable[[], Embeddings]
    moving: Callable[[], bool]
    names: tuple[str, ...]
    images: np.ndarray | None  # (N, H, W) uint8
    editor: Callable[[], EditedScene] | None = None
    live: Job | None = None
    step: int | None = None  # of the run, None for the newest
    at: Callable[[Frame], Embeddings] | None = None  # the same points at a frame of the run

    @property
    def file_tab(self) -> str:
        """The visitor's tab where the subject may hold rows or images of a file of it; "" for any other subject."""
        of_file = bool(self.live.experiment.image_file_fingerprints) if self.live else self.editor is None
        return frontend.session_id() if of_file else ""

    def room_subject(self) -> Subject:
        """The subject for a room's settings."""
        return Subject() if self.editor else Subject(self.subject(), ref(self.live) if self.live else None, self.step, self.at)


def choose_subject(
    corner: DeltaGenerator, editor: Callable[[], EditedScene], own: Callable[[], Loss | None] = lambda: None
) -> Chosen:
    """Draw the choice in ``corner``, and below it the controls of the chosen subject; ``editor`` draws a scene.

    If a run is chosen and there is none, one is begun from the settings of the pages, with the page's ``own`` loss.
    """
    if RUN.job:
        url_state.set_first_value("subject", "live run")
    named_sources = (url_state.address_settings().get("subject"), tab.control("subject").get())
    known = {
        SCENE: True,
        LIVE_RUN: True,
        OWN_FILE: files.session_file(files.FIRST) is not None,
        WATCHED: bool(watched.viewer_key()),
    }
    with corner:
        options = tuple(source for source in SOURCES if known[source] or source in named_sources)
        source = PageControls().choice("subject", "Look at", options, SCENE)
    if source == SCENE:
        return Chosen(lambda: editor().subject, lambda: False, (), None, editor)
    if source == LIVE_RUN:
        return _of_run(own())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        return _of_loop() if source == WATCHED else _of_file()


def _of_loop() -> Chosen:
    """The points of the visitor's training loop; the page ends if none has sent a frame."""
    job = watched.watched_job()
    if job is None:
        st.info(watched.WAITING, icon=":material/sensors:")
        st.stop()
    step = step_control(watched.LOOP, job)

    def subject() -> Embeddings:
        job.watch()
        points = watched.embeddings(job, step)
        provenance_log.note_scene(points.provenance)
        return points

    images = job.loop.subject.images
    moving = job.status == "running" and step is None
    return Chosen(subject, lambda: moving and job.status == "running", watched.names(job, step), images if images.size else None)


def _of_file() -> Chosen:
    """The drawn rows of the visitor's own file; without one the page asks for a file, and ends."""
    file = files.link_session_file()
    if file is None:
        named = files.linked_fingerprint()
        which = f"This link is about your file with fingerprint `{named}`" if named else "You have brought no file yet"
        st.info(f"{which}. Drop one on [Your data](your_data), or here.", icon=":material/upload_file:")
        files.dropper(files.FIRST, "Your file")
        st.stop()
    if not file.file.labelled:
        st.info(f"{to_the_letter(file.file.title)} {NEEDS_LABELS}", icon=":material/label_off:")
        st.stop()
    provenance_log.note_scene(files.named(file))
    images = None if file.file.images is None else file.file.images[file.drawn_rows]
    return Chosen(lambda: file.embeddings, lambda: False, file.file.names, images)


def _of_run(own: Loss | None) -> Chosen:
    loss = own and for_training(own)
    if loss and RUN.job is None:
        url_state.apply_unless_linked(loss_link_settings(loss), unless=("loss", "step", "live.run"))
    run = run_of_session()
    live = RUN.job_for(run) or RUN.start(run)
    if live is None:
        st.stop()
    groups = EvaluatedPoints.GROUPS
    titles = EvaluatedPoints.titles(live.run)

    def train_with_own(*_: object) -> None:
        if loss and loss != live.run.loss:
            st.button(f"Train with {loss.name}, as set here", key="live.own", on_click=_train_with, args=(loss,))

    run_buttons(live, run, train_with_own)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="run-points"):
        group = PageControls().choice("points", "Points", groups, groups[0], named=titles)
        points = EvaluatedPoints(live.run, wait_for_subset(live), group)
        step = step_control(RUN, live)
        as_set = ", as this page sets it" if loss == live.run.loss else ""
        st.caption(f"This run trains with **{live.run.loss.name}**{as_set}.")

    def subject() -> Embeddings:
        live.watch()
        frame = live.at(step)
        assert frame is not None  # a run that has its subject has its first frame
        provenance_log.note_step_of_run(live.run, frame.step, live.changes)
        return points.embeddings(frame)

    def moving() -> bool:
        return live.status in GOING and (step is None or live.step < step)

    return Chosen(subject, moving, points.names, points.images, live=live, step=step, at=points.embeddings)


def _train_with(loss: Loss) -> None:
    st.session_state.update(loss_link_settings(loss))
    tab.JOB.of("live").pop()
