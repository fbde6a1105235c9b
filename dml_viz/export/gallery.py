"""The pictures and data of the gallery, made from the specs of its figures: ``python -m dml_viz.export.gallery [NAME ...]``."""

import hashlib
import io
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from PIL import Image

from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.entries import FOLDER, THEMES, data_path, live_picture_paths, picture_path, read_figure_data
from dml_viz.export.command_host import CommandHost
from dml_viz.export.picture import BrowserPicture, browser_picture
from dml_viz.export.remake import remade_files

WIDTH, QUALITY = 560, 82  # px of a picture in the gallery; WebP quality
DRAWN, TALLEST, SCALE = 460, 360, 2  # px at which a figure is drawn for that, small so that its words are large
# Data that every component gets, or that differ from visit to visit, and so are not the figure's own.
SHARED = ("palette", "ink", "faint", "revision", "serial", "url")


def recorded_data(picture: BrowserPicture) -> dict[str, Any]:
    """The recorded part of a picture, as JSON values: its module and its own data; for a live one, a hash of its recording."""
    if picture.module == "live":
        played = hashlib.sha256(picture.data["url"].encode()).hexdigest()[:16]
        content = {"layout": picture.data["layout"], "played": played}
    else:
        content = {key: value for key, value in picture.data.items() if key not in SHARED}
    whole = {"module": picture.module, "data": {**content, "recipe": picture.spec.write()}}
    return dict(json.loads(json.dumps(whole)))


def make_files(entry: Entry, host: CommandHost) -> None:
    """Record the entry's data, and make its pictures and files."""
    made = browser_picture(entry.declared_spec, host)
    data_path(entry).write_text(
        json.dumps(recorded_data(made), separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8"
    )
    read_figure_data.cache_clear()
    if paths := live_picture_paths(entry):
        bodies = remade_files(entry.declared_spec, list(paths), host, scale=2)
        for path, (_, body, _) in zip(paths.values(), bodies, strict=True):
            path.write_bytes(body)
    size = {"width": DRAWN, "height": min(made.data.get("height", TALLEST), entry.tall or TALLEST)}
    for theme in THEMES:
        spec = replace(entry.declared_spec, theme=theme, size=size)
        ((_, body, _),) = remade_files(spec, ["png"], host, scale=SCALE)
        image = Image.open(io.BytesIO(body))
        height = round(WIDTH * image.height / image.width)
        image.resize((WIDTH, height), Image.Resampling.LANCZOS).save(
            picture_path(entry, theme), "WEBP", quality=QUALITY, method=6
        )


def main(names: Sequence[str]) -> int:
    """Make the entries named, or all; the exit code is 2 for an unknown name."""
    known = {entry.name: entry for entry in GALLERY}
    if unknown := set(names) - set(known):
        print(f"{', '.join(sorted(unknown))}: no such picture; there are {', '.join(known)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        host = CommandHost(stack)
        for entry in (entry for entry in GALLERY if entry.name in names or not names):
            make_files(entry, host)
            print(FOLDER.name, entry.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
