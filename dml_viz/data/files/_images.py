"""Images from files: decoded one at a time, made square and grey, as large as memory allows."""

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from dml_viz.data.files._base import FileError, Raw, holds_real_numbers
from dml_viz.data.images import FULL, LETTERS, LabelledImages

SIDES = (64, 48, 32, 24, 16)  # pixels; images get the largest side for which all have at most `MOST_PIXELS`
MOST_PIXELS = 32 << 20  # of all images together, a byte each
MOST_IMAGES = MOST_PIXELS // SIDES[-1] ** 2
LARGEST = 1 << 24  # pixels of one image before it is made smaller
MOST_DECODED = 1_000_000_000  # pixels of all images together before they are made smaller
QUICK = 1 / 8  # of the time of other formats: a JPEG is made smaller while it is decoded
SAMPLED = 24  # images whose largest side decides how large all are made
LEAST_CLASSES = 4
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "PPM", "TIFF")
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".pgm", ".ppm", ".tif", ".tiff")
TABLES = (".csv", ".jsonl")  # that say which image is of which class
TESTS = ("test", "val", "valid", "validation", "query", "gallery", "images_evaluation")


@dataclass(frozen=True, eq=False)
class Encoded(Sequence[bytes]):
    """Encoded images of files called ``names``, each read by ``content`` when it is needed."""

    names: Sequence[str]
    content: Callable[[str], bytes]

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, number: Any) -> Any:
        return self.content(self.names[number])


@dataclass(frozen=True, eq=False)
class OwnImages:
    """The images of a file called ``title``; ``fingerprint`` is the SHA-256 of the file."""

    title: str
    fingerprint: str
    images: LabelledImages

    @property
    def short_fingerprint(self) -> str:
        """The first letters of the fingerprint, by which declarations of runs and the shelf name the images."""
        return self.fingerprint[:LETTERS]

    @property
    def content_key(self) -> str:
        """The fingerprint of the file."""
        return self.fingerprint


def square_images(raw: Raw, size: int, title: str, progress: Callable[[float], object]) -> np.ndarray:
    """The images (N, side, side) uint8 of ``raw``; FileError for the first that cannot be used."""
    if len(raw.images) != size:
        shape = getattr(raw.images, "shape", f"({len(raw.images)},)")
        raise FileError(f"the images of {title} have shape {shape} for {size:,} rows; give one to each row")
    side = next((side for side in SIDES if size * side**2 <= MOST_PIXELS), 0)
    if not side:
        raise FileError(f"{title} has {size:,} images; at most {MOST_IMAGES:,} are read: leave whole classes out")
    if isinstance(raw.images, Sequence):
        sample = sorted({0, *np.random.default_rng(0).permutation(size)[:SAMPLED].tolist()})
        sides, work = zip(
            *((max(picture.size), _work(picture)) for _, picture in _opened(raw.images, title, sample)), strict=True
        )
        side = min(side, max(sides))
        _check_work(size / 2 * median(work), title)  # at least half of the images have at least the median
        pictures = _decoded(raw.images, title, range(size))
    else:
        side = min(side, max(raw.images.shape[1:3], default=1))
        pictures = _of_array(raw.images, title)
    x = np.empty((size, side, side), np.uint8)
    for number, picture in enumerate(pictures):
        if picture.size != (side, side):
            edge = picture.getpixel((0, 0))
            picture = ImageOps.pad(picture, (side, side), color=edge if isinstance(edge, int) else 0)
        x[number] = np.asarray(picture)
        if number % 256 == 0:
            progress(number / size)
    return x


def trainable(raw: Raw, x: np.ndarray, y: np.ndarray, names: tuple[str, ...], title: str, fingerprint: str) -> OwnImages:
    """Images x with classes y that a net can be trained on; FileError where they are too few."""
    several = int((np.bincount(y) > 1).sum())
    if several < LEAST_CLASSES:
        raise FileError(
            f"{title} has {several} classes with two images or more; training takes {LEAST_CLASSES}: two to learn from, and two "
            "that it never sees"
        )
    over = [name.rpartition("/")[0] for name in names]
    categories, category_of = np.unique(over, return_inverse=True)
    category_names = tuple(str(category) or "other" for category in categories) if any(over) else ("yours",)
    images = LabelledImages(x, y, names, tuple(map(int, category_of)), category_names, classes_for_tests_alone(raw.tests, y))
    return OwnImages(title, fingerprint, images)


def images_of_sprite(sprite: bytes, count: int, title: str) -> np.ndarray:
    """The ``count`` images (N, H, W) of a sprite, in which TensorBoard puts them row by row into a square."""
    [whole] = _decoded([sprite], title, [0])
    side = math.ceil(count**0.5)
    x, high, wide = np.asarray(whole), whole.height // side, whole.width // side
    if not high * wide:
        raise FileError(f"{title} is too small for {count:,} images")
    return np.stack([x[(k // side) * high :, (k % side) * wide :][:high, :wide] for k in range(count)])


def classes_for_tests_alone(tests: Any, y: np.ndarray) -> tuple[int, ...]:
    """The classes all of whose rows are for ``tests`` (N,), if the file has such and leaves classes to train on; else none."""
    if tests is None:
        return ()
    mask = np.asarray(tests, bool)
    if mask.shape != y.shape:
        return ()
    held_out, rest = np.setdiff1d(y, y[~mask]), np.unique(y[~mask])
    return tuple(map(int, held_out)) if min(len(held_out), len(rest)) >= 2 else ()


def _decoded(images: Sequence[Any], title: str, places: Iterable[int]) -> Iterator[Image.Image]:
    work = 0.0
    for name, picture in _opened(images, title, places):
        work += _work(picture)
        _check_work(work, title)
        with _naming_file(name, title):
            picture.draft("L", (2 * SIDES[0], 2 * SIDES[0]))  # a JPEG is decoded at about the size needed
            flat = picture.convert("RGBA") if picture.info.get("transparency") is not None else picture
            if flat.mode in ("RGBA", "LA", "PA"):
                flat = flat.convert("RGBA")
                if np.asarray(flat)[..., 3].min() < 255:  # without a background, so it is padded with transparency
                    flat = ImageOps.pad(flat, (max(flat.size),) * 2, color=(255, 255, 255, 0))
                flat = Image.alpha_composite(Image.new("RGBA", flat.size, "white"), flat)
            grey = _grey(flat)
        yield grey


def _opened(images: Sequence[Any], title: str, places: Iterable[int]) -> Iterator[tuple[str, Image.Image]]:
    """The names and the images at ``places``, of which the headers alone have been read."""
    for number in places:
        name = images.names[number] if isinstance(images, Encoded) else f"image {number}"
        with _naming_file(name, title):
            content: Any = images[number]
            if isinstance(content, dict):
                content = content.get("bytes")
            picture = Image.open(io.BytesIO(content), formats=FORMATS)
            if picture.width * picture.height > LARGEST:
                raise Image.DecompressionBombError(f"{picture.width:,} x {picture.height:,} pixels")
        with picture:
            yield name, picture


@contextmanager
def _naming_file(name: str, title: str) -> Iterator[None]:
    """Raise a FileError for any error on the image called ``name``."""
    try:
        yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise FileError(
            f"{name} of {title} is too large ({error}); images of at most {LARGEST:,} pixels are read: save smaller ones"
        ) from error
    except MemoryError:
        raise
    except Exception as error:  # Pillow's decoders raise errors of many kinds
        raise FileError(f"{name} of {title} is no image that can be read; leave it out") from error


def _work(picture: Image.Image) -> float:
    """The pixels of an image, as many as take the time that it takes to decode."""
    return picture.width * picture.height * (QUICK if picture.format == "JPEG" else 1)


def _check_work(work: float, title: str) -> None:
    if work > MOST_DECODED:
        raise FileError(
            f"the images of {title} have more than {MOST_DECODED / 1e6:,.0f} million pixels in all; make them smaller: "
            f"{SIDES[0]} x {SIDES[0]} of each are used"
        )


def _grey(picture: Image.Image) -> Image.Image:
    if picture.mode.startswith(("I", "F")):  # 16 or 32 bits, scaled to the range of the image's values
        values = np.asarray(picture, np.float64)
        low, high = values.min(), values.max()
        return Image.fromarray(np.uint8(FULL * (values - low) / max(high - low, 1e-9)))
    return picture.convert("L")


def _of_array(images: Any, title: str) -> Iterator[Image.Image]:
    x = np.asarray(images)
    if x.ndim == 4 and x.shape[1] in (1, 3) and x.shape[3] not in (1, 3):
        x = x.transpose(0, 2, 3, 1)
    if x.ndim not in (3, 4) or (x.ndim == 4 and x.shape[3] not in (1, 3)) or not holds_real_numbers(x) or 0 in x.shape:
        raise FileError(f"the images of {title} have shape {x.shape}; give ({len(x)}, H, W) or ({len(x)}, H, W, 3)")
    low, high = float(x.min()), float(x.max())
    if not np.isfinite((low, high)).all():
        raise FileError(f"the images of {title} hold values that are not finite; give greys from 0 to 1 or from 0 to 255")
    if low >= 0:  # as usual: greys up to 1, up to the 16 of scanned digits, or bytes
        low, high = 0.0, next((top for top in (1.0, 16.0, float(FULL)) if high <= top), high)
    for image in x:
        grey = image if image.ndim == 2 else image.mean(2)
        yield Image.fromarray(np.uint8(np.rint((grey.astype(np.float64) - low) * (FULL / max(high - low, 1e-9)))))
