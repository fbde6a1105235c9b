"""A visitor's own images in a process: deleted, with all that is computed from them, when their last holder is gone."""

from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Timer
from typing import Any

from dml_viz.data import training_set
from dml_viz.data.datasets.own import EVERYBODY, MissingImagesError, shelf
from dml_viz.data.eval_points import evaluation_images, evaluation_subset, pixel_ranks_by_class
from dml_viz.data.files import OwnEmbeddings, OwnImages, files_at, read
from dml_viz.data.images import LabelledImages

# A worker holds the images of at most MOST files, each until IDLE seconds after its last call.
LOAN, IDLE, MOST = "loan", 60.0, 4


def release_images(holder: Hashable, file: str = "") -> None:
    """Release the images of ``file``, or all, of ``holder``; delete images that nobody holds, and the caches made of them."""
    if shelf().release(holder, file):
        for cached in (evaluation_subset, evaluation_images, pixel_ranks_by_class):
            cached.cache_clear()
        training_set.clear_caches()


def read_and_register_images(path: Path) -> tuple[OwnEmbeddings | OwnImages, OwnImages | None]:
    """The content of the file or folder at ``path``, and its images, which are put on the shelf for every run in this process.

    FileError for a file that cannot be used.
    """
    content = read(files_at(path))
    images = content if isinstance(content, OwnImages) else content.trainable
    if images:
        shelf().put(images.short_fingerprint, images.images, EVERYBODY)
    return content, images


def with_missing_images(work: tuple[Any, ...], error: BaseException) -> tuple[Any, ...] | None:
    """The call ``work``, which failed for want of images, with the images; None for other errors, or without images here.

    So images travel to a worker once, and not with every call.
    """
    if not isinstance(error, MissingImagesError) or work[0] is call_with_images:
        return None
    try:
        return (call_with_images, error.file, shelf().full_size_images(error.file), *work)
    except MissingImagesError:
        return None


def call_with_images(file: str, images: LabelledImages, fn: Callable[..., Any], *args: Any) -> Any:
    """The result of ``fn(*args)`` in a worker, which has the images of ``file`` from then on."""
    shelf().put(file, images, LOAN)
    _tidy()
    return fn(*args)


def _tidy() -> None:
    """Release lent images that are not used any more, and look again later as long as others are left."""
    idle, others = shelf().files_to_release(LOAN, IDLE, MOST)
    for file in idle:
        release_images(LOAN, file)
    if others:
        later = Timer(IDLE / 2, _tidy)
        later.daemon = True
        later.start()
