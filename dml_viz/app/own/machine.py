"""The files of this machine that every session may use."""

import os
from pathlib import Path
from typing import TypeVar

import streamlit as st

from dml_viz.data.files import OwnEmbeddings, OwnImages
from dml_viz.data.own import Scored, scored
from dml_viz.data.own_images import read_and_register_images
from dml_viz.serve.configuration import value_of

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def _command_line_files() -> tuple[Scored | OwnImages, ...]:
    """The files named on the command line, read and scored once for all sessions of this server; also each file's images."""
    parts: list[Scored | OwnImages] = []
    for name in filter(None, value_of("look").split(os.pathsep)):
        content, images = read_and_register_images(Path(name))
        if images:
            parts.append(images)
        if isinstance(content, OwnEmbeddings):
            parts.append(scored(content))
    return tuple(parts)


def command_line_files(kind: type[T]) -> tuple[T, ...]:
    """The contents of one kind in the files named on the command line."""
    return tuple(content for content in _command_line_files() if isinstance(content, kind))
