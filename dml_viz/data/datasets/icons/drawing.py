"""Icons drawn from the fonts of the package qtawesome; its code, which needs Qt, is not imported."""

import hashlib
import json
import os
import re
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import PIL
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from dml_viz.data.datasets.icons.concepts import CONCEPTS, FONTS, Font

PACKAGE = "qtawesome"
SIDE, MARGIN, DRAWN_AT = 28, 1, 112  # pixels
MOST = 8  # icons of a concept
TWINS = 4.0  # distance of two drawings, black 0 and white 1, below which the second is left out
# Endings of names of the same thing in another style.
STYLE = re.compile(
    r"(-(outline|outlined|line|fill|filled|thin|light|bold|regular|solid|duotone|alt|variant|simple|straight|empty|o|\d))+$"
)

Drawings = dict[str, NDArray[Any]]


def icon_drawings() -> Drawings:
    """All icons, upright and undisturbed: ``x`` (N, 28, 28) uint8, ``y`` (N,) of `CONCEPTS` and ``icon_set`` (N,) by name.

    They are drawn once, which takes about a second, and afterwards read from a file, if one could be written. Equal versions
    of the package and of Pillow, with the FreeType in its wheels, draw equal bytes. ValueError where the package is missing.
    """
    try:
        package = distribution(PACKAGE)
    except PackageNotFoundError:
        raise ValueError(f"icons are drawn from the package {PACKAGE}, which is missing; install requirements.txt") from None
    sources = [Path(__file__), Path(__file__).with_name("concepts.py")]
    versions = f"{package.version} {PIL.__version__} {np.__version__}".encode()
    key = hashlib.sha256(b"".join([versions, *(source.read_bytes() for source in sources)])).hexdigest()[:16]
    path = _folder() / f"icons-{key}.npz"
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in ("x", "y", "icon_set")}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        drawings = rendered_icons(Path(str(package.locate_file(f"{PACKAGE}/fonts"))))
        _write(path, drawings)
        return drawings


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "dml-viz"


def _write(path: Path, drawings: Drawings) -> None:
    """Write ``drawings`` to ``path`` in one step, so that other processes never read half a file; ignore a failure to write."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as file:
            np.savez_compressed(file, x=drawings["x"], y=drawings["y"], icon_set=drawings["icon_set"])
        Path(file.name).replace(path)
    except OSError:
        pass


def rendered_icons(fonts: Path) -> Drawings:
    """All icons of `CONCEPTS`, drawn from the files in the folder ``fonts``."""
    x, y, icon_set = [], [], []
    icons = _icons(fonts)
    for number, (concept, *_) in enumerate(CONCEPTS):
        distinct: list[tuple[str, NDArray[np.uint8]]] = []
        for name, image in icons[concept]:
            apart = [np.linalg.norm(image.astype(float) - other) >= 255 * TWINS for _, other in distinct]
            if len(distinct) < MOST and all(apart):
                distinct.append((name, image))
        x += [image for _, image in distinct]
        icon_set += [name for name, _ in distinct]
        y += [number] * len(distinct)
    return {"x": np.stack(x), "y": np.array(y, np.int64), "icon_set": np.array(icon_set)}


def _icons(fonts: Path) -> dict[str, list[tuple[str, NDArray[np.uint8]]]]:
    """The set and the image of every icon of each concept: the shortest name of every set first, then the next of every set."""
    concept_of = {name: names[0] for names in CONCEPTS for name in names}
    named: dict[str, list[tuple[str, Font, ImageFont.FreeTypeFont, str]]] = defaultdict(list)
    for font in FONTS:
        (table,), (file,) = fonts.glob(f"{font.file}-*.json"), fonts.glob(f"{font.file}-*.ttf")
        pen = ImageFont.truetype(str(file), DRAWN_AT, layout_engine=ImageFont.Layout.BASIC)
        for name, code in json.loads(table.read_text(encoding="utf-8")).items():
            if concept := concept_of.get(STYLE.sub("", name)):
                named[concept].append((name, font, pen, chr(int(code, 16))))
    return {concept: list(_in_turns(icons)) for concept, icons in named.items()}


def _in_turns(icons: list[tuple[str, Font, ImageFont.FreeTypeFont, str]]) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    turn_of: Counter[str] = Counter()
    turns = []
    for rank, (name, font, pen, letter) in enumerate(sorted(icons, key=lambda icon: (len(icon[0]), icon[0]))):
        icon_set = font.icon_set(name)
        turns.append((turn_of[icon_set], rank, icon_set, pen, letter))
        turn_of[icon_set] += 1
    for *_, icon_set, pen, letter in sorted(turns, key=lambda turn: turn[:2]):
        yield icon_set, _draw(pen, letter)


def _draw(pen: ImageFont.FreeTypeFont, letter: str) -> NDArray[np.uint8]:
    """The icon in the middle of an image (28, 28), as large as fits."""
    sheet = Image.new("L", (2 * DRAWN_AT, 2 * DRAWN_AT))
    ImageDraw.Draw(sheet).text((DRAWN_AT // 2, DRAWN_AT // 2), letter, font=pen, fill=255)
    icon = sheet.crop(sheet.getbbox())
    scale = (SIDE - 2 * MARGIN) / max(icon.size)
    width, height = (max(1, round(side * scale)) for side in icon.size)
    page = Image.new("L", (SIDE, SIDE))
    page.paste(icon.resize((width, height), Image.Resampling.BOX), ((SIDE - width) // 2, (SIDE - height) // 2))
    return np.asarray(page)
