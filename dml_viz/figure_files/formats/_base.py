"""The base classes of formats of exported files, those of drawings and films among them: menu entry, writer, reader."""

import html
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from dml_viz.figure_files.spec import Spec

FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Figure:
    """A figure to write: its spec, its content in words, its caption, Plotly's JSON if it is a chart of Plotly, and a name.

    The name is that of its files without their suffix; empty for that of the figure.
    """

    spec: Spec
    words: str = ""
    caption: str = ""
    chart: Mapping[str, Any] | None = None
    name: str = ""


class FileFormat(ABC):
    """One format; the name of its module is the suffix of its files.

    ``label`` and ``note`` are its entry in the browser's menu (no label: no entry), which lists formats by ``order``.
    ``writer`` names the script that writes it in a browser (assets/src/export/files.js) with ``options``. ``is_drawing`` says
    that it is one, which can have a fixed size; ``scales`` are the factors offered for sizes in pixels. ``companion`` is
    the format of a file that must be saved with it. ``of_one`` says that a composed figure has none, but each of its panels.
    """

    label: ClassVar[str] = ""
    note: ClassVar[str] = ""
    media_type: ClassVar[str]
    writer: ClassVar[str]
    order: ClassVar[int] = 100
    is_drawing: ClassVar[bool] = False
    scales: ClassVar[tuple[int, ...]] = (1,)
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    companion: ClassVar[str | None] = None
    of_one: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def read(cls, body: bytes) -> str | None:
        """The JSON of the spec in a file; None without one."""

    @classmethod
    def refusal(cls, figure: Figure) -> str:
        """Why there is no such file of ``figure``, and what to choose instead; empty where there is one."""
        return ""

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        """The file of ``figure``; None if only a browser can write it."""
        return None


def without_xml_forbidden(text: str) -> str:
    """``text`` without control characters and halves of pairs, as in assets/src/export/allowed.js; it is not escaped."""
    return FORBIDDEN.sub("", text)


def text_between(body: bytes, opening: bytes, closing: bytes) -> str | None:
    """The text between the first ``opening`` and the next ``closing``; None without them. It takes one pass of any file."""
    begin = body.find(opening)
    end = body.find(closing, begin)
    return None if min(begin, end) < 0 else body[begin + len(opening) : end].decode("utf-8", "replace")


class Film(FileFormat):
    """A film of a figure that moves."""

    writer = "movie"
    note = "The steps as a film, at the length and size you choose"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        return text_between(body, b"dml-viz recipe: ", b"\n")


class Marked(FileFormat):
    """A drawing with its spec in an element of XML."""

    is_drawing = True

    @classmethod
    def read(cls, body: bytes) -> str | None:
        text = text_between(body, b"<dml:recipe", b"</dml:recipe>")
        return None if text is None else html.unescape(text.partition(">")[2])
