"""The page Name that loss, drawn."""

from collections.abc import Sequence

import streamlit as st

from dml_viz.app import glossary, tab, url_state
from dml_viz.app.figure import of_room
from dml_viz.app.own import files, watched
from dml_viz.app.page import page, section
from dml_viz.data.bounded import arrays_bounded
from dml_viz.data.files import File, FileError
from dml_viz.explain.name_that_loss import BATCH, OWN, ROOM, SETTING
from dml_viz.explain.name_that_loss import text as say
from dml_viz.explain.name_that_loss.batches import MOST_DIMS, MOST_ROWS, batch_of, file_of_loop
from dml_viz.explain.name_that_loss.model import Answer, Settings, identify
from dml_viz.explain.name_that_loss.model_forms import ObservedBatch
from dml_viz.explain.name_that_loss.recorded import recorded_answer
from dml_viz.room.markdown import to_the_letter

KEY = "name.file"


def find_loss_of_file(key: str, dropped: Sequence[File]) -> None:
    """Find the loss behind the batch in a file."""
    del key
    bar, words = st.progress(0.0), "Fitting every form of every loss"
    try:
        with files.turn(bar):
            batch = batch_of(dropped[0], arrays_bounded)
            answer = identify(batch, lambda share: bar.progress(min(share, 1.0), words))
    except FileError:
        raise
    except ValueError as error:
        raise FileError(str(error)) from error
    tab.NAMED_LOSS.set((dropped[0].name, batch, answer))


def draw_answer(batch: ObservedBatch, answer: Answer) -> None:
    """Draw the answer."""
    drawn = bool(answer.fits or answer.nearest)
    with section(
        say.headline(answer, batch),
        look_for="marks off the line: components that this form does not explain." if drawn else "",
        misleads="losses that differ elsewhere can agree on one batch; a second batch tells them apart." if drawn else "",
    ):
        for fit in answer.fits or filter(None, [answer.nearest]):
            glossary.say(f"- {say.fit_in_words(fit, batch)} [Its reference]({say.reference_link(fit)})")
        if missing := say.left_out(batch):
            glossary.say(missing, "caption")
        if drawn:
            of_room(ROOM, "components", Settings(batch, answer))


def find_loss_of_loop() -> None:
    """Find the loss behind the newest batch of the session's watched training loop, if there is one."""
    if not watched.viewer_key() or (job := watched.watched_job()) is None:
        return
    opened = url_state.arriving_text(watched.OPENED) == watched.SUBJECT
    if not (st.button("Name my loop’s loss", icon=":material/sensors:") or opened):
        return
    try:
        find_loss_of_file(KEY, [file_of_loop(job.run.loss.title, job.loop.batch, job.loop.facts.get("rows", 0))])
    except FileError as error:
        st.error(to_the_letter(f"{error}."))


def run() -> None:
    """Draw the page."""
    with page(
        "Name that loss",
        "Value and gradient of one batch show **which loss made them**, in which form, at which knobs, and with which known "
        "error.",
    ):
        left, shown = st.columns([1, 4], gap="medium")
        with left.container(key="files"):
            limits = f"An .npz archive of one batch: up to {MOST_ROWS} rows of up to {MOST_DIMS:,} dimensions."
            files.dropper(KEY, "Your batch", find_loss_of_file, note=limits)
            find_loss_of_loop()
        with shown:
            if tab.NAMED_LOSS.exists():
                title, batch, answer = tab.NAMED_LOSS.get()
                url_state.write_setting(SETTING, OWN, BATCH.default, shared=False)
                glossary.say(f"From {to_the_letter(title)}, {say.size_in_words(batch)}.", "caption")
            else:
                batch, answer = recorded_answer()
                if url_state.setting(SETTING, BATCH) == OWN:
                    st.info("Your batch is not kept when the page is opened anew: drop it again.")
                url_state.write_setting(SETTING, BATCH.default, BATCH.default, shared=False)
                glossary.say(say.example_notice(batch))
            with st.expander("How to save your batch"):
                glossary.say(say.WANTED)
            draw_answer(batch, answer)
