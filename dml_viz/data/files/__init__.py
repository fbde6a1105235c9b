"""Embeddings from files: one reader per format; the folder is the list."""

from collections.abc import Sequence
from hashlib import sha256

from dml_viz.data.files._arrays import arrays_of
from dml_viz.data.files._base import File, FileError, Reader
from dml_viz.data.files._checks import OwnEmbeddings, embeddings_of
from dml_viz.registry import discover

__all__ = ["READERS", "File", "FileError", "OwnEmbeddings", "arrays_of", "read"]

READERS: dict[str, type[Reader]] = discover(__name__, Reader)


def read(files: Sequence[File]) -> OwnEmbeddings:
    """Embeddings with labels from ``files``, one file or several that belong together.

    Raises FileError, whose one sentence says what is wrong, where, and what mends it.
    """
    names = [file.name for file in files]
    reader = next((kind() for kind in READERS.values() if kind.takes(names)), None)
    if reader is None:
        formats = "; ".join(kind.title for kind in READERS.values() if not kind.refuses)
        raise FileError(f"{' and '.join(names) or 'nothing'} is in no format that is read here; bring {formats}")
    try:
        raw = reader.read(files)
    except FileError:
        raise
    except Exception as error:  # a file can be broken in more ways than its library names
        raise FileError(f"{names[0]} cannot be read as {reader.title}: {_first_line(error)}") from error
    digest = sha256()
    for file in sorted(files, key=lambda one: one.name):
        digest.update(sha256(file.content).digest())
    return embeddings_of(raw, names[0], digest.hexdigest())


def _first_line(error: Exception) -> str:
    text = str(error).strip().partition("\n")[0][:200]
    return text.rstrip(".") or type(error).__name__
