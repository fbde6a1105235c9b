"""The images that a session has brought to train on: used by that session alone, and deleted with it."""

from typing import cast

import streamlit as st

from dml_viz.app import frontend, url_state
from dml_viz.app.own.machine import of_machine
from dml_viz.app.training_session import presence
from dml_viz.data.datasets.own import FILE, shelf
from dml_viz.data.files import FileError, OwnImages
from dml_viz.room.markdown import to_the_letter
from dml_viz.serve.server import engine
from dml_viz.serve.uploads import uploads

NAME, DATA = "own", "data"  # of the data set, and of the control that chooses one
KEY, PLACE = f"{NAME}.file", "own.images"


def of_session() -> OwnImages | None:
    """The session's images, if any."""
    return cast(OwnImages | None, st.session_state.get(PLACE)) or next(iter(of_machine(OwnImages)), None)


def asked_for() -> str:
    """The fingerprint of the images that the link names, else of the session's; "" for none."""
    asked, found = str(url_state.setting(KEY, FILE)), of_session()
    if found and not asked:
        asked = st.session_state[KEY] = found.name
    url_state.keep(KEY, asked, "")
    return asked


def offered() -> bool:
    """Whether the visitor may choose own images: the session has some, or the link names them."""
    return of_session() is not None or NAME in (url_state.address().get(DATA), st.session_state.get(DATA))


def take(found: OwnImages) -> None:
    """Let the session train on ``found``, in place of its earlier images; FileError if the server has no room."""
    if full := uploads().store(frontend.session_id(), PLACE, found.images.x.nbytes):
        raise FileError(full)
    if PLACE in st.session_state:
        leave()
    shelf().put(found.name, found.images, presence())
    st.session_state[PLACE], st.session_state[KEY] = found, found.name


def leave() -> None:
    """Forget the session's images and the runs on them."""
    found = st.session_state.pop(PLACE, None)
    if found is None:
        return
    engine().forget(presence())
    st.session_state[KEY] = ""
    if st.session_state.get(DATA) == NAME:
        st.session_state[DATA] = "icons"


def sentence(found: OwnImages) -> str:
    """A sentence on the number and the size of the images."""
    images, title = found.images, to_the_letter(found.title)
    side = images.x.shape[1]
    return f"{title}: {len(images.y):,} images of {len(images.names):,} classes, stored as {side} x {side} greys."
