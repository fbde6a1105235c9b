"""The files of this machine that every session may use."""

from typing import TypeVar

import streamlit as st

from dml_viz.data.files import OwnEmbeddings, OwnImages
from dml_viz.data.own import Scored, scored
from dml_viz.serve.server import files_to_look_at

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def _command_line_files() -> tuple[Scored | OwnImages, ...]:
    """The files named on the command line, scored once for all sessions of this server; also each file's images."""
    parts: list[Scored | OwnImages] = []
    for content, images in files_to_look_at():
        if images:
            parts.append(images)
        if isinstance(content, OwnEmbeddings):
            parts.append(scored(content))
    return tuple(parts)


def command_line_files(kind: type[T]) -> tuple[T, ...]:
    """The contents of one kind in the files named on the command line."""
    return tuple(content for content in _command_line_files() if isinstance(content, kind))
