"""A visitor's own images in a process: there while somebody needs them, with all that is made of them, and then gone."""

from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Timer
from typing import Any

from dml_viz.data import training_set
from dml_viz.data.datasets._base import Images
from dml_viz.data.datasets.own import EVERYBODY, NoImagesError, shelf
from dml_viz.data.eval_points import evaluation_images, evaluation_subset, ranked_pairs
from dml_viz.data.files import OwnEmbeddings, OwnImages, files_at, read

# A worker has the images of the last few files, each for so many seconds after its last call.
LOAN, IDLE, MOST = "loan", 60.0, 4


def release(holder: Hashable, file: str = "") -> None:
    """Drop the images of ``file``, or all, that ``holder`` has; those of no other holder are deleted, with all made of them."""
    if shelf().release(holder, file):
        for made in (evaluation_subset, evaluation_images, ranked_pairs):
            made.cache_clear()
        training_set.forget()


def opened(path: Path) -> tuple[OwnEmbeddings | OwnImages, OwnImages | None]:
    """What the file or folder at ``path`` holds, and its images, on which any run in this process may train from now on.

    FileError for what cannot be used.
    """
    found = read(files_at(path))
    images = found if isinstance(found, OwnImages) else found.trainable
    if images:
        shelf().put(images.name, images.images, EVERYBODY)
    return found, images


def again(work: tuple[Any, ...], error: BaseException) -> tuple[Any, ...] | None:
    """The call ``work``, which failed for want of images, with these; None for another error, or where they are gone here, too.

    So images reach a worker of any kind once, and not with every call.
    """
    if not isinstance(error, NoImagesError) or work[0] is call_with:
        return None
    try:
        return (call_with, error.file, shelf().whole(error.file), *work)
    except NoImagesError:
        return None


def call_with(file: str, images: Images, fn: Callable[..., Any], *args: Any) -> Any:
    """``fn(*args)`` in a worker, which has the images of ``file`` from then on."""
    shelf().put(file, images, LOAN)
    _tidy()
    return fn(*args)


def _tidy() -> None:
    """Let go of images that were lent and are not needed, now and as long as there are any."""
    idle, others = shelf().idle(LOAN, IDLE, MOST)
    for file in idle:
        release(LOAN, file)
    if others:
        later = Timer(IDLE / 2, _tidy)
        later.daemon = True
        later.start()
