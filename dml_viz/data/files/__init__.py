"""Embeddings and images from files: one reader per format; the folder is the list."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from dml_viz.data.files._arrays import arrays_of
from dml_viz.data.files._base import File, FileError, Reader, check_unpacked_size, listed
from dml_viz.data.files._checks import OwnEmbeddings, checked
from dml_viz.data.files._images import SUFFIXES, TABLES, OwnImages
from dml_viz.registry import discover

__all__ = ["READERS", "File", "FileError", "OwnEmbeddings", "OwnImages", "arrays_of", "files_at", "read"]

READERS: dict[str, type[Reader]] = discover(__name__, Reader)


def read(files: Sequence[File], progress: Callable[[float], object] = lambda share: None) -> OwnEmbeddings | OwnImages:
    """Embeddings or images with labels from ``files``, one file or several that belong together, such as a folder of images.

    ``progress`` is called with the share of images decoded. Raises FileError, whose one sentence says what is wrong, where,
    and how to mend it.
    """
    names = [file.name for file in files]
    reader = next((kind() for kind in READERS.values() if kind.takes(files)), None)
    if reader is None:
        formats = "; ".join(kind.title for kind in READERS.values() if not kind.refuses)
        raise FileError(f"{listed(names)} is in no format that is read here; bring {formats}")
    title = names[0] if len(names) < 3 else names[0].strip("/").partition("/")[0]  # the folder's name
    check_unpacked_size(sum(len(file.content) for file in files), title)
    try:
        raw = reader.read(files)
    except FileError:
        raise
    except Exception as error:  # a file can be broken in more ways than its library names
        raise FileError(f"{title} cannot be read as {reader.title}: {_first_line(error)}") from error
    return checked(raw, title, fingerprint(files), progress)


def fingerprint(files: Sequence[File]) -> str:
    """The SHA-256 of the content of ``files``, and of the names in a folder, which are labels; the order does not matter."""
    digest = sha256()
    for file in sorted(files, key=lambda file: file.name):
        digest.update(sha256(file.content).digest())
        if len(files) > 2:  # a folder, whose names are labels
            digest.update(sha256(file.name.encode()).digest())
    return digest.hexdigest()


def files_at(path: Path) -> list[File]:
    """The file at ``path``, or the images and tables of a folder there; FileError if there is none, or it is too large."""
    if not path.exists():
        raise FileError(f"there is no file {path}")
    if not path.is_dir():
        return [File(path.name, path.read_bytes())]
    inside = [each for each in sorted(path.rglob("*")) if each.suffix.lower() in (*SUFFIXES, *TABLES) and each.is_file()]
    check_unpacked_size(sum(file.stat().st_size for file in inside), path.name)
    return [File(file.relative_to(path.parent).as_posix(), file.read_bytes()) for file in inside]


def _first_line(error: Exception) -> str:
    text = str(error).strip().partition("\n")[0][:200]
    return text.rstrip(".") or type(error).__name__
