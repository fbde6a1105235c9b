"""A format of exported files: how the browser's menu offers it, who writes it, and how its spec is read back."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from dml_viz.figure_files.spec import Spec


@dataclass(frozen=True)
class Figure:
    """A figure to be written: its spec, what it shows in words, its caption, and Plotly's JSON where it is a chart of Plotly."""

    spec: Spec
    words: str = ""
    caption: str = ""
    chart: Mapping[str, Any] | None = None


class FileFormat(ABC):
    """One format; the name of its module is the suffix of its files.

    ``label`` and ``note`` are its entry in the browser's menu (no label: no entry), which lists formats by ``place``.
    ``writer`` names the script that makes it in a browser (assets/src/export/files.js), to which ``options`` are handed.
    ``drawn`` says that it is a drawing, which can be made at a fixed size; ``scales`` are the sizes offered in pixels.
    ``companion`` is the format of a file that has to be saved with it.
    """

    label: ClassVar[str] = ""
    note: ClassVar[str] = ""
    media_type: ClassVar[str]
    writer: ClassVar[str]
    place: ClassVar[int] = 100
    drawn: ClassVar[bool] = False
    scales: ClassVar[tuple[int, ...]] = (1,)
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    companion: ClassVar[str | None] = None

    @classmethod
    @abstractmethod
    def read(cls, body: bytes) -> str | None:
        """The JSON of the spec that a file holds; None where it holds none."""

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        """The file of ``figure``; None where only a browser can make it."""
        return None


def between(body: bytes, opening: bytes, closing: bytes) -> str | None:
    """The text that the first ``opening`` encloses; found in one pass, whatever a file holds."""
    begin = body.find(opening)
    end = body.find(closing, begin)
    return None if min(begin, end) < 0 else body[begin + len(opening) : end].decode("utf-8", "replace")
