"""A visitor's own images, named by the fingerprint of their file; a process that trains on them was given them before."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
import torch

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets._base import Dataset
from dml_viz.data.images import LETTERS, LabelledImages
from dml_viz.params import Param, param, params
from dml_viz.threads import once

EVERYBODY = "everybody"  # the holder of images that the command line names
AT_ONCE = 256  # images that are made smaller at once


class MissingImagesError(LookupError):
    """The images of the file with fingerprint ``file`` are not in this process."""

    def __init__(self, file: str) -> None:
        named = f"the images with fingerprint {file[:12]} are not here" if file else "no images are named"
        super().__init__(f"{named}; bring the file again, or name it with --data on the command line")
        self.file = file

    def __reduce__(self) -> Any:
        """The error as it is pickled by a worker."""
        return type(self), (self.file,)


@dataclass(frozen=True)
class OwnDataset(Dataset):
    """The images of the file whose SHA-256 begins with ``file``, at most ``side`` pixels high and wide."""

    title = "Your images"
    sentence = "Images that you brought, in grey; they stay with this tab."
    private = True

    file: str = param(
        "", f"fingerprint of the file; it has {LETTERS} of the signs 0 to 9 and a to f", pattern=f"|[0-9a-f]{{{LETTERS}}}"
    )
    side: int = param(
        32,
        "height and width that images are made smaller to; a larger side trains slower",
        label="side in pixels",
        choices=(16, 32, 64),
    )
    varied: bool = param(
        False, "whether training turns, moves and resizes each image a little, anew at every step", label="varied at each step"
    )

    def load(self) -> LabelledImages:
        """The images; MissingImagesError where this process does not have them."""
        return shelf().images_up_to_side(self.file, self.side)

    @property
    def augmentation(self) -> Augmentation | None:
        return Augmentation(noise=0.0) if self.varied else None


FILE: Param = params(OwnDataset)[0]


class Shelf:
    """Images by the fingerprint of their file, each as long as it has a holder. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._images: dict[str, LabelledImages] = {}
        self._smaller: dict[tuple[str, int], LabelledImages] = {}
        self._holders: dict[str, set[Hashable]] = {}
        self._used_at: dict[str, float] = {}  # monotonic seconds of the last use

    def put(self, file: str, images: LabelledImages, holder: Hashable) -> None:
        """Store the images of ``file`` in this process, for ``holder``."""
        with self._lock:
            self._images.setdefault(file, images)
            self._used_at[file] = monotonic()
            self._holders.setdefault(file, set()).add(holder)

    def check_access(self, file: str, holder: Hashable) -> None:
        """Raise MissingImagesError unless ``holder`` or everybody has the images of ``file``; another holder is not enough."""
        with self._lock:
            if not {holder, EVERYBODY} & self._holders.get(file, set()):
                raise MissingImagesError(file)

    def full_size_images(self, file: str) -> LabelledImages:
        """The images in their full size; MissingImagesError where this process does not have them."""
        with self._lock:
            if file not in self._images:
                raise MissingImagesError(file)
            self._used_at[file] = monotonic()
            return self._images[file]

    def images_up_to_side(self, file: str, side: int) -> LabelledImages:
        """The images, at most ``side`` pixels high and wide; MissingImagesError where this process does not have them."""
        images = self.full_size_images(file)
        if images.x.shape[1] <= side:
            return images
        with self._lock:
            smaller = self._smaller.get((file, side)) or replace(images, x=_smaller(images.x, side))
            if file in self._images:  # else the last holder has left just now
                self._smaller[file, side] = smaller
            return smaller

    def files_to_release(self, holder: Hashable, seconds: float, keep: int) -> tuple[tuple[str, ...], bool]:
        """The files of ``holder`` not used for so many seconds, or beyond the ``keep`` last used; whether it has others."""
        now = monotonic()
        with self._lock:
            files = sorted((name for name, holders in self._holders.items() if holder in holders), key=self._used_at.__getitem__)
            idle = [name for k, name in enumerate(files) if k < len(files) - keep or now - self._used_at[name] >= seconds]
            return tuple(idle), len(idle) < len(files)

    def release(self, holder: Hashable, file: str = "") -> bool:
        """Take from ``holder`` the images of ``file``, or of all files; return whether that deleted any from this process."""
        with self._lock:
            for name, holders in self._holders.items():
                if file in ("", name):
                    holders.discard(holder)
            gone = [name for name, holders in self._holders.items() if not holders]
            for name in gone:
                del self._holders[name], self._images[name], self._used_at[name]
            self._smaller = {key: images for key, images in self._smaller.items() if key[0] in self._images}
        return bool(gone)


@once
def shelf() -> Shelf:
    """The images of this process."""
    return Shelf()


def _smaller(x: np.ndarray, side: int) -> np.ndarray:
    """Images (N, S, S) uint8 as (N, side, side), each pixel the mean of the pixels that it covers."""
    parts = (torch.from_numpy(x[k : k + AT_ONCE].astype(np.float32)) for k in range(0, len(x), AT_ONCE))
    return torch.cat([torch.nn.functional.adaptive_avg_pool2d(part, side).round_().byte() for part in parts]).numpy()
