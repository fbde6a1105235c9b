"""The base class of readers of files, and what they share."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar
from zipfile import ZipFile, ZipInfo

import numpy as np

from dml_viz.data.one_line import in_one_line

MOST_BYTES = 160 << 20  # of a file, packed and unpacked
LISTED, LETTERS = 12, 40  # most names that a sentence lists, and most letters of each


class FileError(ValueError):
    """A file that cannot be used; the message is one sentence that says what is wrong and how to mend it."""


@dataclass(frozen=True)
class File:
    """The name and the content of a file."""

    name: str
    content: bytes

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, with its dot."""
        return PurePath(self.name).suffix.lower()


@dataclass(frozen=True, eq=False)
class Raw:
    """The unchecked content of a file: rows z or images or both, N of them, N ``labels`` or None, and ``names`` of classes.

    ``query`` and ``gallery`` (N,) say which rows are queries and which are searched, ``tests`` (N,) which are not for training.
    """

    z: Any
    labels: Any
    images: Any = None
    names: Any = None
    query: Any = None
    gallery: Any = None
    tests: Any = None


class Reader(ABC):
    """Reader of one format: the ``suffixes`` of its files, and whether it ``refuses`` them all."""

    title: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    refuses: ClassVar[bool] = False

    @classmethod
    def takes(cls, files: Sequence[File]) -> bool:
        """Whether the files, by their names, are in the format."""
        return len(files) == 1 and files[0].suffix in cls.suffixes

    @abstractmethod
    def read(self, files: Sequence[File]) -> Raw:
        """The content of the files; FileError, or any error of the format's library, where they cannot be read."""


def first_of(fields: dict[str, Any], names: Sequence[str], what: str, file: str) -> Any:
    """The value in ``fields`` of the first of ``names`` that is there; FileError, which lists the names found, without any."""
    for name in names:
        if name in fields:
            return fields[name]
    raise FileError(f"{file} has no {what}: it holds {listed(sorted(fields))}; call the {what} {' or '.join(names[:2])}")


def listed(names: Collection[str]) -> str:
    """The first of ``names``, the beginning of each, and how many more there are."""
    first = ", ".join(in_one_line(name[:LETTERS]) for name in list(names)[:LISTED])
    return f"{first} and {len(names) - LISTED:,} more" if len(names) > LISTED else first or "nothing"


def check_unpacked_size(size: int, file: str) -> None:
    """Raise FileError where a file would unpack to more bytes than are allowed."""
    if size > MOST_BYTES:
        raise FileError(
            f"{file} unpacks to {size / 2**20:,.0f} MB; at most {MOST_BYTES >> 20} MB are read: save fewer rows, or float32"
        )


def read_up_to_declared_size(archive: ZipFile, member: ZipInfo) -> bytes:
    """The content of a member of an archive, no more than the archive's directory says, which may be less than there is."""
    with archive.open(member) as stream:
        return stream.read(member.file_size)


ROWS = ("z", "embeddings", "features", "embedding", "X", "x", "vectors")
LABELS = ("label", "labels", "target", "targets", "class", "classes", "y", "fine_label")
QUERY, GALLERY = ("is_query", "query"), ("is_gallery", "gallery")
IMAGES = ("images", "image", "imgs", "img")


def holds_real_numbers(array: np.ndarray) -> bool:
    """Whether an array holds floats or integers; booleans are no numbers here."""
    return array.dtype.kind in "fiu"
