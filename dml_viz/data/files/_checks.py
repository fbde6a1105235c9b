"""Checks of files of all formats: finite rows of one length, or images, and classes to retrieve."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from dml_viz.data.files._base import GALLERY, MOST_BYTES, QUERY, FileError, Raw, holds_real_numbers
from dml_viz.data.files._columns import FALSE, TRUE, word_of
from dml_viz.data.files._images import OwnImages, square_images, trainable
from dml_viz.data.one_line import JOINERS, in_one_line

MOST_ROWS, MOST_DIMS, MOST_NUMBERS = 65_536, 4_096, 32 << 20
LIMITS = f"at most {MOST_BYTES >> 20} MB, {MOST_ROWS:,} rows and {MOST_DIMS:,} dimensions, and in all {MOST_NUMBERS:,} numbers"
THUMBNAIL = 32  # pixels
NAMED, LETTERS = 5, 80  # most rows that a sentence lists, and most letters of a name
READ = 10_000  # most letters of a name that are looked at
EXACT = 2**53  # below it a float holds every whole number
UNLABELLED = ("no label",)
NO_TAGS = str.maketrans("<>", "‹›")


@dataclass(frozen=True, eq=False)
class OwnEmbeddings:
    """Rows z (N, d) float32 as they are in a file called ``title``, with classes y (N,) int64 that index ``names``.

    ``images`` (N, H, W) are uint8, and ``trainable`` the same if a net can be trained on them; ``query`` and ``gallery`` (N,)
    bool say which rows are queries and which are searched; each is None if the file does not have it. ``fingerprint`` is the
    SHA-256 of the file.
    """

    title: str
    z: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    fingerprint: str
    images: np.ndarray | None = None
    query: np.ndarray | None = None
    gallery: np.ndarray | None = None
    trainable: OwnImages | None = None

    @property
    def labelled(self) -> bool:
        """Whether the rows have labels, which are of at least two classes; rows without are only drawn."""
        return self.names != UNLABELLED

    @property
    def queries(self) -> np.ndarray:
        """Which rows (N,) are queries, bool."""
        return np.ones(len(self.y), bool) if self.query is None else self.query

    @property
    def searched(self) -> np.ndarray:
        """Which rows (N,) are searched, bool."""
        return np.ones(len(self.y), bool) if self.gallery is None else self.gallery

    @property
    def positives(self) -> np.ndarray:
        """How many other rows of its class (N,) each row would find in the gallery."""
        return np.asarray(np.bincount(self.y[self.searched], minlength=len(self.names))[self.y] - self.searched)


def checked(raw: Raw, title: str, fingerprint: str, progress: Callable[[float], object]) -> OwnEmbeddings | OwnImages:
    """The embeddings of ``raw``, or its images if it has no rows; FileError for the first thing that is wrong."""
    title = _line(title)
    z = None if raw.z is None else _rows(raw.z, title)
    size = len(raw.images) if z is None else len(z)
    y, names = (np.zeros(size, np.int64), UNLABELLED) if raw.labels is None else _labels(raw, size, title)
    x = None if raw.images is None else square_images(raw, size, title, progress)
    if z is None:
        assert x is not None  # a reader finds rows or images
        return trainable(raw, x, y, names, title, fingerprint)
    training_images = None
    if x is not None:
        with suppress(FileError):  # images too few to train on are still shown
            training_images = trainable(raw, x, y, names, title, fingerprint)
        step = -(-x.shape[1] // THUMBNAIL)
        x = x[:, ::step, ::step]
    query, gallery = (_mask(mask, what, len(z), title) for mask, what in ((raw.query, QUERY), (raw.gallery, GALLERY)))
    embeddings = OwnEmbeddings(title, z, y, names, fingerprint, x, query, gallery, training_images)
    if embeddings.labelled and not embeddings.positives[embeddings.queries].any():
        classes = f"{len(names):,} classes of {len(z):,} rows"
        if query is not None and not query.any():
            raise FileError(f"{title} marks none of its {len(z):,} rows as a query; mark some, or leave `query` out")
        if query is None and gallery is None:
            raise FileError(f"no row of {title} has another of its class: {classes}; bring at least two rows of a class")
        raise FileError(f"no query of {title} has a row of its class in the gallery: {classes}; bring a gallery of these classes")
    return embeddings


def _rows(rows: Any, title: str) -> np.ndarray:
    if isinstance(rows, list):
        lengths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else -1 for row in rows]
        odd = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
        if odd is not None:
            raise FileError(
                f"row {odd} of {title} has {max(lengths[odd], 0)} numbers where the first row has {lengths[0]}; "
                "give each row the same number"
            )
    try:
        z = np.asarray(rows)
        z = z if holds_real_numbers(z) or z.dtype.kind == "c" else z.astype(np.float64)
    except (ValueError, TypeError):
        raise FileError(f"the embeddings of {title} are not all numbers; save a float array (N, d)") from None
    if z.dtype.kind == "c":
        raise FileError(f"the embeddings of {title} are complex numbers; save z.real, or z.real and z.imag beside each other")
    if z.ndim != 2:
        raise FileError(f"the embeddings of {title} have shape {z.shape}; save an array (N, d), one row per point")
    n, d = z.shape
    if n < 2:
        raise FileError(f"{title} has {n} {'row' if n == 1 else 'rows'}; at least 2 are read")
    if n > MOST_ROWS:
        raise FileError(f"{title} has {n:,} rows; at most {MOST_ROWS:,} are read: save a part of them, of whole classes")
    if not 2 <= d <= MOST_DIMS:
        raise FileError(f"the rows of {title} have {d:,} {'dimension' if d == 1 else 'dimensions'}; 2 to {MOST_DIMS:,} are read")
    if n * d > MOST_NUMBERS:
        fits = f"at most {MOST_NUMBERS:,} are read: save {MOST_NUMBERS // d:,} of the rows"
        raise FileError(f"{title} has {n:,} x {d:,} numbers; {fits}")
    _refuse(~np.isfinite(z).all(axis=1), "a value that is not finite", title, "leave them out, z[np.isfinite(z).all(1)]")
    _refuse(~z.any(1), "zeros alone and so no direction", title, "leave them out, z[z.any(1)]")
    with np.errstate(over="ignore"):
        short = np.ascontiguousarray(z, np.float32)
    lost = ~np.isfinite(short).all(1) | ~short.any(1)
    _refuse(lost, "numbers beyond those of 32 bits", title, "save z / np.abs(z).max(1, keepdims=True)")
    return short


def _refuse(wrong: Any, what: str, title: str, fix: str) -> None:
    rows = np.flatnonzero(wrong)
    if len(rows):
        listed = ", ".join(map(str, rows[:NAMED])) + (" and so on" if len(rows) > NAMED else "")
        have, these = ("has", "row") if len(rows) == 1 else ("have", "rows")
        raise FileError(f"{len(rows):,} of the {len(wrong):,} rows of {title} {have} {what} ({these} {listed}); {fix}")


def _labels(raw: Raw, size: int, title: str) -> tuple[np.ndarray, tuple[str, ...]]:
    labels = np.asarray(raw.labels if not isinstance(raw.labels, list) else np.array(raw.labels, object))
    if labels.ndim == 2 and 1 in labels.shape:
        labels = labels.ravel()
    if labels.shape != (size,):
        raise FileError(f"{title} has {size:,} rows and labels of shape {labels.shape}; give one label to each row")
    unlabelled = "no label", title, "give them one, or leave them out"
    if labels.dtype.kind in "fiub":
        _refuse(~np.isfinite(labels.astype(np.float64)), *unlabelled)
    else:
        labels = np.array([_text(label) for label in labels], object)
    if raw.names is not None and _are_whole(labels):
        numbers = labels.astype(np.float64)
        _refuse(np.abs(numbers) >= EXACT, "a label too far from 0 for a list of names", title, "count the classes from 0")
        labels = numbers.astype(np.int64)
    values, y = np.unique(labels, return_inverse=True)
    whole = ".0" if labels.dtype.kind == "f" else ""
    given = _given_names(raw.names, values, size, title) or [str(value).removesuffix(whole) for value in values]
    short = [_line(name) for name in given]
    _refuse(np.array([not name.strip(JOINERS) for name in short])[y], *unlabelled)
    names = _distinct(short)
    if len(names) < 2:
        raise FileError(f"all rows of {title} are of one class, {names[0]!r}; retrieval needs rows of at least two")
    return y.astype(np.int64), names


def _are_whole(labels: np.ndarray) -> bool:
    """Whether labels are whole numbers, truth values or words for whole numbers, which can number the names of classes."""
    if labels.dtype.kind == "O":
        return all(label.isdecimal() for label in labels)
    return bool((labels == np.round(labels.astype(np.float64))).all())


def _text(label: Any) -> str:
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return ""
    return (label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)).strip()


def _given_names(names: Any, values: np.ndarray, size: int, title: str) -> list[str]:
    """The names of the classes ``values`` of so many rows; none without ``names``, or for labels that are words.

    FileError for names of the rows, or of other classes.
    """
    if names is None or values.dtype.kind not in "iu":
        return []
    given = [_text(name) for name in np.asarray(names).ravel()]
    least, most = int(values.min()), int(values.max())
    of_rows = len(given) == size > len(set(given))
    if least < 0 or most >= len(given) or of_rows:
        raise FileError(
            f"{title} has {len(given):,} names for classes {least} to {most}; give one for each class, counted from 0"
        )
    return [given[value] for value in values]


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The ``names`` of classes; classes that share a name get a number."""
    counts = Counter(names)
    return tuple(f"{name} ({k})" if counts[name] > 1 else name for k, name in enumerate(names))


def _line(text: str) -> str:
    """``text`` in one line of at most `LETTERS`, without the signs that pictures would read as tags."""
    line = in_one_line(text[:READ]).translate(NO_TAGS)
    return line if len(line) <= LETTERS else f"{line[: LETTERS - 1]}…"


def _mask(mask: Any, names: Sequence[str], size: int, title: str) -> np.ndarray | None:
    """Truth values (N,), given as such, as numbers or as words under one of ``names``; None without them."""
    if mask is None:
        return None
    rows = mask if isinstance(mask, np.ndarray) else np.array([*map(str, mask)], object)
    if rows.shape != (size,):
        raise FileError(f"{' or '.join(names)} of {title} has shape {rows.shape}; give each row one")
    for row, value in enumerate(rows):
        if word_of(value) not in TRUE | FALSE:
            raise FileError(f"row {row} of {title} has {str(value)[:40]!r} for {' or '.join(names)}; write True or False")
    return np.array([word_of(value) in TRUE for value in rows])
