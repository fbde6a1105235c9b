"""The files that a session has, and the place where one is dropped."""

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dml_viz.app import url_state
from dml_viz.app.own import fingerprint
from dml_viz.app.own.fingerprint import LENGTH, Fingerprint
from dml_viz.app.own.uploads import uploader, uploads
from dml_viz.data.files import File, FileError, read
from dml_viz.data.files._base import MOST_BYTES
from dml_viz.data.files._checks import MOST_DIMS, MOST_ROWS
from dml_viz.data.own import Scored, scored
from dml_viz.engine.configuration import chosen

FIRST, SECOND = fingerprint.FIRST, fingerprint.SECOND
LIMITS = f"at most {MOST_BYTES >> 20} MB, {MOST_ROWS:,} rows and {MOST_DIMS:,} dimensions"


def of_session(key: str = FIRST) -> Scored | None:
    """The file that the session has under ``key``, if any; the link holds its fingerprint."""
    asked = url_state.setting(key, Fingerprint())
    found = at(key)
    if found is not None and asked != short(found):
        asked = short(found)
        st.session_state[key] = asked
    url_state.keep(key, asked, "")
    return found


def at(key: str) -> Scored | None:
    """The file that the session has under ``key``, if any; the link is left as it is."""
    found: Scored | None = st.session_state.get(_place(key)) or _of_machine(key)
    return found


def brought(key: str = FIRST) -> bool:
    """Whether the session has a file under ``key``."""
    return at(key) is not None


def asked_for(key: str = FIRST) -> str:
    """The fingerprint of the file that the link asks for."""
    return str(url_state.setting(key, Fingerprint()))


def short(subject: Scored) -> str:
    """The part of a file's fingerprint that links hold."""
    return subject.file.fingerprint[:LENGTH]


def dropper(key: str, label: str, take: Callable[[str, Sequence[File]], None] | None = None, *, note: str = "") -> None:
    """Draw the place where files are dropped, and give them to ``take``, by default `score`.

    FileError from ``take`` is shown below the place; what the session has under ``key`` stays then.
    """
    turn = st.session_state.setdefault(f"{key}.turn", 0)
    uploader(_session())
    dropped = st.file_uploader(
        label, accept_multiple_files=True, key=f"{key}.dropped.{turn}",
        help=note or f"{LIMITS}; Your embeddings names the formats.",
    )  # fmt: skip
    if not dropped:
        if wrong := st.session_state.get(f"{key}.wrong"):
            st.error(f"{wrong}.")
        return
    files = [File(file.name, file.getvalue()) for file in dropped]
    _forget(dropped)
    st.session_state[f"{key}.turn"] = turn + 1
    st.session_state[f"{key}.wrong"] = ""
    try:
        with one_at_a_time():
            (take or score)(key, files)
    except FileError as error:
        st.session_state[f"{key}.wrong"] = str(error)
    st.rerun()


def score(key: str, files: Sequence[File]) -> None:
    """Score ``files`` as the session's file ``key``, which `of_session` gives; FileError where they cannot be used."""
    bar = st.progress(0.0, text="Reading the file")
    found = read(files)
    if full := uploads().store(_session(), key, found.z.nbytes):
        raise FileError(full)
    st.session_state[_place(key)] = scored(
        found, lambda share: bar.progress(share, text=f"Ranking {len(found.y):,} rows")
    )
    st.session_state[key] = short(st.session_state[_place(key)])
    bar.empty()


def leave(key: str) -> None:
    """Forget the session's file ``key``."""
    st.session_state.pop(_place(key), None)
    uploads().store(_session(), key, 0)
    st.session_state[key] = ""


def _place(key: str) -> str:
    return f"own.{key}"


@cache
def one_at_a_time() -> Lock:
    """Held while a file is worked on, so that several visitors' files take one core and not all."""
    return Lock()


@st.cache_resource(show_spinner=False)
def _machine_files() -> tuple[Scored, ...]:
    """The files named on the command line, scored once for all sessions of this server."""
    names = [name for name in chosen("look").split(os.pathsep) if name]
    return tuple(scored(read([File(Path(name).name, Path(name).read_bytes())])) for name in names)


def _of_machine(key: str) -> Scored | None:
    return dict(zip((FIRST, SECOND), _machine_files(), strict=False)).get(key)


def _forget(dropped: Sequence[UploadedFile]) -> None:
    """Give the uploaded bytes back: what is needed of them is in the session now."""
    context = get_script_run_ctx()
    if context is not None:
        manager: Any = context.uploaded_file_mgr
        for file in dropped:
            manager.remove_file(context.session_id, file.file_id)
            uploads().end(context.session_id, file.file_id)


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""
