"""The files of a session, and the elements in which a visitor drops them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dml_viz.app import frontend, tab, url_state
from dml_viz.app.own import images
from dml_viz.app.own.machine import command_line_files
from dml_viz.data.bounded import children, openml_bounded, read_bounded
from dml_viz.data.files import File, FileError, OwnEmbeddings, OwnImages
from dml_viz.data.files._checks import LIMITS
from dml_viz.data.openml import LONGEST
from dml_viz.data.own import Scored, placed_in_child
from dml_viz.room import fingerprint, task
from dml_viz.room.fingerprint import FINGERPRINT
from dml_viz.room.markdown import to_the_letter
from dml_viz.serve.file_analyses import file_analyses
from dml_viz.serve.uploads import MOST_FILES, Turns, file_turns, openml_turns, uploads

FIRST, SECOND, named, short = fingerprint.FIRST, fingerprint.SECOND, fingerprint.named, fingerprint.short


def link_session_file(key: str = FIRST) -> Scored | None:
    """Write the fingerprint of the session's file ``key`` into the link, and return the file, if any."""
    fingerprint_in_link = url_state.setting(key, FINGERPRINT)
    file = session_file(key)
    if file is not None and fingerprint_in_link != short(file):
        images.announce_another(key, file.file.title, short(file), "")
        fingerprint_in_link = short(file)
        tab.control(key).set(fingerprint_in_link)
    url_state.write_setting(key, fingerprint_in_link, "")
    return file


def session_file(key: str) -> Scored | None:
    """The session's file ``key``, if any; the link does not change."""
    file = tab.FILE.of(key).find()
    return file or dict(zip((FIRST, SECOND), command_line_files(Scored), strict=False)).get(key)


def linked_fingerprint(key: str = FIRST) -> str:
    """The fingerprint of the file ``key`` that the link names."""
    return str(url_state.setting(key, FINGERPRINT))


def dropper(
    key: str, label: str, on_files: Callable[[str, Sequence[File]], None] | None = None, *, note: str = "", folder: bool = False
) -> None:
    """Draw an element for dropping files, or a ``folder``, and call ``on_files``, by default `read_as_session_file`, with them.

    A FileError from ``on_files`` is shown below the element; the session's file ``key`` stays then.
    """
    element = f"{key}.folder" if folder else key
    turn = tab.FILE_TURN.of(element).setdefault(0)
    frontend.allow_uploads(frontend.session_id())
    children().start_spare_child()
    dropped = st.file_uploader(
        label,
        accept_multiple_files="directory" if folder else True,
        key=f"{element}.dropped.{turn}",
        help=note or f"{LIMITS}; Your data names the formats.",
    )
    if not dropped:
        if wrong := tab.FILE_ERROR.of(element).get():
            st.error(to_the_letter(f"{wrong}."))
        return
    files = [File(file.name, file.getvalue()) for file in dropped]
    _forget(dropped)
    tab.FILE_TURN.of(element).set(turn + 1)
    _try(element, lambda: (on_files or read_as_session_file)(key, files))


def _try(element: str, work: Callable[[], None]) -> None:
    """Call ``work`` and rerun the page; its FileError is then shown at ``element``, and no error elsewhere."""
    tab.FILE_ERROR.reset_all_alike()
    try:
        work()
    except FileError as error:
        tab.FILE_ERROR.of(element).set(str(error))
    st.rerun()


def droppers(key: str) -> None:
    """Draw the elements for a file, for a folder of images, and for a data set of OpenML."""
    dropper(key, "Your file")
    with st.expander("Or a folder of images", expanded=bool(tab.FILE_ERROR.of(f"{key}.folder").get())):
        dropper(key, "A folder for each class; a zip is much faster", folder=True, note=f"Up to {MOST_FILES:,} files.")
    element = f"{key}.openml"
    state = url_state.register_control(element, "data set of OpenML")
    if state == task.HIDDEN:
        return
    wrong, fixed = tab.FILE_ERROR.of(element).get(), state == task.LOCKED
    with st.expander("Or from OpenML", expanded=bool(wrong)):
        which = st.text_input("Name or number", key=element, placeholder="iris", max_chars=LONGEST, disabled=fixed)
        if st.button("Fetch", key=f"{key}.fetch", disabled=fixed):
            frontend.allow_uploads(frontend.session_id())
            _try(element, lambda: fetch_from_openml(key, which))
        if wrong:
            st.error(to_the_letter(f"{wrong}."))


def read_as_session_file(key: str, files: Sequence[File], *, train: bool = True) -> None:
    """Read ``files`` as the session's file ``key``, and their images to ``train`` on; FileError for bad files."""
    bar = st.progress(0.0, text="Reading the file")
    with turn(bar):
        content = read_bounded(files, lambda share: bar.progress(share, text="Reading the images"))
    store_upload(key, content if train or isinstance(content, OwnImages) else replace(content, trainable=None), bar)


def store_upload(key: str, content: OwnEmbeddings | OwnImages, bar: Any) -> None:
    """Store ``content`` in the session; embeddings are placed first, with progress in ``bar``."""
    pictures = content if isinstance(content, OwnImages) else content.trainable
    if pictures:
        images.store_images(pictures)
    if isinstance(content, OwnImages):
        bar.empty()
        return
    if full := uploads().store(frontend.session_id(), key, content.z.nbytes):
        raise FileError(full)
    if before := session_file(key):
        file_analyses().leave(frontend.session_id(), before.content_key)
    with turn(bar):
        bar.progress(0.0, text=f"Placing {len(content.y):,} rows")
        placed = tab.FILE.of(key).set(placed_in_child(content))  # the page draws them all before it finds out more
    images.announce_another(key, content.title, short(placed), short(before) if before else "")
    tab.control(key).set(short(placed))
    bar.empty()


def forget_file(key: str) -> None:
    """Forget the session's file ``key``; the second file takes the place of the first."""
    if forgotten := tab.FILE.of(key).pop():
        file_analyses().leave(frontend.session_id(), forgotten.content_key)
    uploads().store(frontend.session_id(), key, 0)
    tab.control(key).set("")
    if key == FIRST and (second := tab.FILE.of(SECOND).pop()):
        uploads().store(frontend.session_id(), SECOND, 0)
        uploads().store(frontend.session_id(), FIRST, second.file.z.nbytes)
        tab.FILE.of(FIRST).set(second)
        tab.control(FIRST).set(short(second))
        tab.control(SECOND).set("")


@contextmanager
def turn(bar: Any, turns: Callable[[], Turns] = file_turns) -> Iterator[None]:
    """The visitor's turn at work on a file; while others have theirs, ``bar`` says so."""
    with turns().of(frontend.visitor(), lambda: bar.progress(0.0, text="Waiting for the files of other visitors")):
        yield


def fetch_from_openml(key: str, which: str) -> None:
    """Fetch a data set of OpenML as the session's file ``key``; FileError where it cannot be fetched."""
    bar = st.progress(0.0, text="Asking OpenML")
    with turn(bar, openml_turns):
        content = openml_bounded(which)
    store_upload(key, content, bar)


def _forget(dropped: Sequence[UploadedFile]) -> None:
    """Delete the uploaded bytes, whose content is in the session by now."""
    for file in dropped:
        frontend.delete_upload(frontend.session_id(), file.file_id)
        uploads().end(frontend.session_id(), file.file_id)
