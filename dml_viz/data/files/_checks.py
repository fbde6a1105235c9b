"""What every file has to hold, whatever its format: finite rows of one length, and classes to retrieve."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from dml_viz.data.files._base import FileError, Raw, is_numeric

MOST_ROWS, MOST_DIMS, MOST_NUMBERS = 10_000, 4_096, 24 << 20
THUMBNAIL = 32  # pixels
MOST_PIXELS = 1 << 24  # of an image
NAMED = 5  # rows in a sentence


@dataclass(frozen=True, eq=False)
class OwnEmbeddings:
    """Rows z (N, d) float32 as they are in a file called ``title``, with classes y (N,) int64 that index ``names``.

    ``images`` (N, H, W) are uint8; ``query`` and ``gallery`` (N,) bool say which rows ask and which are searched, all where the
    file does not say. ``fingerprint`` is the SHA-256 of the file: equal for equal files, and no way back to one.
    """

    title: str
    z: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    fingerprint: str
    images: np.ndarray | None = None
    query: np.ndarray | None = None
    gallery: np.ndarray | None = None


def embeddings_of(raw: Raw, title: str, fingerprint: str) -> OwnEmbeddings:
    """The embeddings, checked; FileError for the first thing that is wrong with them."""
    z = _rows(raw.z, title)
    y, names = _labels(raw, len(z), title)
    images = None if raw.images is None else _images(raw.images, len(z), title)
    query, gallery = (None if mask is None else _mask(mask, len(z), title) for mask in (raw.query, raw.gallery))
    searched = np.ones(len(z), bool) if gallery is None else gallery
    asks = np.ones(len(z), bool) if query is None else query
    others = np.bincount(y[searched], minlength=len(names))[y[asks]] - searched[asks]
    if not (others > 0).any():
        raise FileError(
            f"no row of {title} has another of its class to find: {len(names):,} classes of {len(z):,} rows; "
            "bring at least two rows of a class"
        )
    return OwnEmbeddings(title, z, y, names, fingerprint, images, query, gallery)


def _rows(rows: Any, title: str) -> np.ndarray:
    if isinstance(rows, list):
        lengths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else -1 for row in rows]
        odd = next((place for place, length in enumerate(lengths) if length != lengths[0]), None)
        if odd is not None:
            raise FileError(
                f"row {odd} of {title} has {max(lengths[odd], 0)} numbers where the first row has {lengths[0]}; "
                "give each row the same number"
            )
    try:
        z = np.asarray(rows)
        z = z if is_numeric(z) else z.astype(np.float64)
    except (ValueError, TypeError):
        raise FileError(f"the embeddings of {title} are not all numbers; save a float array (N, d)") from None
    if z.ndim != 2:
        raise FileError(f"the embeddings of {title} have shape {z.shape}; save an array (N, d), one row per point")
    n, d = z.shape
    if not 2 <= n <= MOST_ROWS:
        raise FileError(f"{title} has {n:,} rows; 2 to {MOST_ROWS:,} are read: save a part of them, of whole classes")
    if not 2 <= d <= MOST_DIMS:
        raise FileError(f"the rows of {title} have {d:,} dimensions; 2 to {MOST_DIMS:,} are read")
    if n * d > MOST_NUMBERS:
        raise FileError(f"{title} has {n:,} x {d:,} numbers; at most {MOST_NUMBERS:,} are read: save fewer rows")
    with np.errstate(over="ignore"):
        z = np.ascontiguousarray(z, np.float32)
    _refuse(
        ~np.isfinite(z).all(axis=1), "a value that is not finite", title, "leave them out, z[np.isfinite(z).all(1)]"
    )
    _refuse(~z.any(1), "zeros alone and so no direction", title, "leave them out, z[z.any(1)]")
    return z


def _refuse(wrong: Any, what: str, title: str, fix: str) -> None:
    rows = np.flatnonzero(wrong)
    if len(rows):
        shown = ", ".join(map(str, rows[:NAMED])) + (" and so on" if len(rows) > NAMED else "")
        raise FileError(f"{len(rows):,} of the {len(wrong):,} rows of {title} have {what} (rows {shown}); {fix}")


def _labels(raw: Raw, size: int, title: str) -> tuple[np.ndarray, tuple[str, ...]]:
    labels = np.asarray(raw.labels if not isinstance(raw.labels, list) else np.array(raw.labels, object))
    if labels.ndim == 2 and 1 in labels.shape:
        labels = labels.ravel()
    if labels.shape != (size,):
        raise FileError(f"{title} has {size:,} rows and labels of shape {labels.shape}; give one label to each row")
    if labels.dtype.kind in "fiub":
        missing = ~np.isfinite(labels.astype(np.float64))
        texts = None
    else:
        texts = np.array([_text(label) for label in labels], object)
        missing = texts == ""
    _refuse(missing, "no label", title, "give them one, or leave them out")
    if texts is None:
        values, y = np.unique(labels, return_inverse=True)
        names = _given_names(raw.names, values) or tuple(f"{value:g}" for value in values.astype(np.float64))
    else:
        values, y = np.unique(texts, return_inverse=True)
        names = tuple(map(str, values))
    if len(names) < 2:
        raise FileError(f"all rows of {title} are of one class, {names[0]!r}; retrieval needs rows of at least two")
    return y.astype(np.int64), names


def _text(label: Any) -> str:
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return ""
    return (label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)).strip()[:80]


def _given_names(names: Any, values: np.ndarray) -> tuple[str, ...]:
    """The names of the classes ``values``, where ``names`` has one for each number; else none."""
    if names is None or values.dtype.kind not in "iu" or values.min() < 0:
        return ()
    given = [_text(name) for name in np.asarray(names).ravel()]
    return tuple(given[value] for value in values) if int(values.max()) < len(given) else ()


def _mask(mask: Any, size: int, title: str) -> np.ndarray:
    found = np.asarray(mask).astype(bool)
    if found.shape != (size,):
        raise FileError(f"is_query and is_gallery of {title} have shape {found.shape}; give each row one")
    return found


def _images(images: Any, size: int, title: str) -> np.ndarray:
    if isinstance(images, list):
        return np.stack([_picture(image, place, title) for place, image in enumerate(images)])
    x = np.asarray(images)
    if x.ndim == 4 and x.shape[1] in (1, 3) and x.shape[3] not in (1, 3):
        x = x.transpose(0, 2, 3, 1)
    if x.ndim == 4 and x.shape[3] in (1, 3):
        x = x.mean(3)
    if x.ndim != 3 or len(x) != size or not is_numeric(x):
        raise FileError(
            f"the images of {title} have shape {np.asarray(images).shape}; give ({size}, H, W) or ({size}, H, W, 3)"
        )
    if not np.isfinite(x).all():
        raise FileError(
            f"the images of {title} hold values that are not finite; give greys from 0 to 1 or from 0 to 255"
        )
    high = 255.0 if x.max() > 1 else 1.0
    step = max(1, -(-max(x.shape[1:]) // THUMBNAIL))
    return np.clip(x[:, ::step, ::step] * (255.0 / high), 0, 255).astype(np.uint8)


def _picture(image: Any, place: int, title: str) -> np.ndarray:
    """A thumbnail of an image as Hugging Face's files hold it, {"bytes": ..., "path": ...}, or of the bytes alone."""
    content: Any = image.get("bytes") if isinstance(image, dict) else image
    try:
        with Image.open(io.BytesIO(content)) as picture:
            if picture.width * picture.height <= MOST_PIXELS:
                return np.asarray(picture.convert("L").resize((THUMBNAIL, THUMBNAIL)))
            size = f"{picture.width:,} x {picture.height:,}"
    except (OSError, TypeError, ValueError, Image.DecompressionBombError):
        raise FileError(f"image {place} of {title} is no image that can be read; leave the column out") from None
    raise FileError(
        f"image {place} of {title} has {size} pixels; at most {MOST_PIXELS:,} are read: save smaller images"
    )
