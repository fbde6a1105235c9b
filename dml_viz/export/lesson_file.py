"""A lesson as one HTML file that needs no server: its parts, its script and its data, and what keeps all else out."""

import base64
import gzip
import hashlib
import html
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from dml_viz import to_javascript
from dml_viz.assets import ASSETS
from dml_viz.data.wire import joined, messages, pack, unpack
from dml_viz.export.picture import room_of
from dml_viz.figure_files.declared import fill_slots, html_json
from dml_viz.figure_files.spec import Recipe
from dml_viz.room.in_browser import javascript_of_rooms

RUNS, SCENES = "lesson", "lesson_scenes"  # the scripts, with and without what plays runs
STYLES = ("scene", "gradients", "predict", "export", "lesson")
OF_RUNS = "live"
LIVE = ("angular", "fastap", "gradients", "pairs", "proxies", "ranked_list")  # pages whose sentences are computed in a file
OPENS = "dmlLesson.open(dmlLesson);\n"
CODE = "rooms.js.gz"  # in a file, what Python has written of its rooms
FONTS = ("sans-regular", "sans-bold", "symbols-regular")
NOTHING_FROM_OUTSIDE = (
    "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "worker-src blob:; base-uri 'none'; form-action 'none'"
)
BRIEF: Mapping[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}  # JSON with no more than it needs
MOST_FRAMES = 120  # of a run
HIGHEST = 65535  # of places that are sent as whole numbers
# From one place that a file can have to the next. In maps, where shares are counted, it is that of recordings.
STEPS: Mapping[str, int] = {"view": 16, "proxies": 16, "map": 8}
MANTISSA = np.uint32(0xFFFFF000)  # the bits of other places that are kept
IMPORT_ALL = re.compile(r'^import \* as ([\w$]+) from "[^"]*?([^/"]+)\.js";$', re.MULTILINE)
IMPORT_SOME = re.compile(r'^import \{([^}]*)\} from "[^"]*?([^/"]+)\.js";$', re.MULTILINE)
NUMBERS = re.compile(r' (d|transform|points|x|y|width|height)="[^"]*"')  # attributes of a drawing
LONG = re.compile(r"(\d+\.\d\d)\d+")
EXPORT = re.compile(r"^export (const|function|class|async function) ([\w$]+)", re.MULTILINE)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<style>{style}</style>
</head>
<body>
<div id="dml-viz-here"><p class="dml-waiting" role="alert">{waiting}</p></div>
<script type="application/json" id="dml-viz-recipe">{recipe}</script>
<script type="application/json" id="dml-viz-data">{data}</script>
{script}
<i hidden id="dml-viz-end" data-sum="{checksum}"></i>
</body>
</html>
"""
WAITING = (
    "Nothing has been drawn: this file is cut short, or was changed, or its script may not run here. Save or copy it again, and "
    "open it in a browser of 2024 or later."
)


def as_classic_script(module: str, name: str) -> str:
    """A generated ``module`` as a part of a classic script: its exports are dmlLesson.``name``; imports are of other parts."""
    plain = IMPORT_ALL.sub(r"const \1 = dmlLesson.\2;", module)
    plain = IMPORT_SOME.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = dmlLesson.{found[2]};", plain)
    names = [found[2] for found in EXPORT.finditer(plain)]
    body = EXPORT.sub(r"\1 \2", plain)
    return f"dmlLesson.{name} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();\n"


def script_of(runs: bool) -> str:
    """The script of a file; with ``runs``, of one that plays runs, too."""
    return _within_html(_bundle(RUNS if runs else SCENES) + OPENS)


def shared_script(pages: tuple[str, ...]) -> str:
    """The script of a folder of files with runs and the scenes of ``pages``."""
    return _bundle(RUNS) + javascript_of_pages(tuple(sorted(pages))) + OPENS


def _bundle(name: str) -> str:
    bundle = (ASSETS / "dist" / "js" / f"{name}.js").read_text(encoding="utf-8")
    # Exports of a bundle can only be read.
    return f"{bundle}dmlLesson = {{ ...dmlLesson, python: dmlLesson.library }};\n"


@cache
def javascript_of_pages(pages: tuple[str, ...]) -> str:
    """The script with the rooms of ``pages``, as Python has translated them; with the losses, where one has no translation."""
    rooms = [room_of(page) for page in pages if page in LIVE]
    code = as_classic_script(_squeezed(javascript_of_rooms(rooms)), "rooms") if rooms else ""
    if len(rooms) < len(pages):
        code += as_classic_script(_squeezed(to_javascript.javascript_of_losses()), "losses")
    return _within_html(code)


def _within_html(script: str) -> str:
    return script.replace("</script", "<\\/script")


def styles_of(runs: bool) -> str:
    """The style sheets of a file."""
    names = (*STYLES[:-1], *((OF_RUNS,) if runs else ()), STYLES[-1])
    sheets = [(ASSETS / "css" / f"{name}.css").read_text(encoding="utf-8") for name in names]
    return re.sub(r"/\*.*?\*/|\n\s*", "", "".join(sheets), flags=re.DOTALL)


def fonts() -> dict[str, str]:
    """The fonts with which figures are saved, base64 by name."""
    files = [f"fonts/{name}.woff2" for name in FONTS]
    return {name: base64.b64encode((ASSETS / name).read_bytes()).decode() for name in files}


def packed_run(body: bytes) -> str:
    """A recorded run compressed, base64; its points lie to a 4096th of the picture or better, which no screen tells apart."""
    parts, (subject, *frames) = [], messages(body)
    every = -(-len(frames) // MOST_FRAMES)
    for message in (subject, *frames[:-1:every], frames[-1]):
        header, arrays = unpack(message)
        parts.append(pack(header, {name: _rounded(name, array) for name, array in arrays.items()}))
    return compressed_base64(joined(parts))


def compressed_base64(body: bytes) -> str:
    """A body compressed, base64."""
    return base64.b64encode(gzip.compress(body, 9, mtime=0)).decode()


def _rounded(name: str, array: np.ndarray) -> np.ndarray:
    """An array of a frame; places in a picture with 12 bits of each coordinate, and in a map with 13."""
    kind = name.rpartition(".")[2]
    if kind not in STEPS:
        return array
    if array.dtype == np.float32 and kind == "map":
        array = np.clip(np.round((array + 1) * HIGHEST / 2), 0, HIGHEST).astype(np.uint16)
    if array.dtype == np.uint16:
        return (np.minimum(np.round(array / STEPS[kind]) * STEPS[kind], HIGHEST)).astype(np.uint16)
    return (array.view(np.uint32) & MANTISSA).view(np.float32) if array.dtype == np.float32 else array


def licences() -> str:
    """The licences of what a file brings besides dml-viz's own script: pictures of icons, and fonts."""
    paths = (ASSETS.parent / "NOTICE", ASSETS / "fonts" / "LICENSE.txt")
    return "\n\n".join(path.read_text(encoding="utf-8").strip() for path in paths if path.exists())


def lesson_html(data: Mapping[str, Any], recipe: Recipe, *, shared: str = "") -> bytes:
    """The file of ``data`` (assets/build/lesson.d.ts), with ``recipe``.

    The files of a folder have one script, at the address ``shared`` beside them.
    """
    runs = any(station["run"] for station in data["stations"])
    script = script_of(runs)
    code = "" if shared else javascript_of_pages(scene_pages(data))
    script_file = {CODE: compressed_base64(code.encode())} if code else {}
    text = html_json({**data, "files": {**data["files"], **script_file}}, **BRIEF)
    allowed = "'self' file:" if shared else " ".join(map(_hash, filter(None, (script, code))))
    slots = {
        "title": html.escape(str(data["title"])),
        "policy": NOTHING_FROM_OUTSIDE.format(script=allowed),
        "style": styles_of(runs),
        "waiting": WAITING,
        "recipe": html_json(recipe, **BRIEF),
        "data": text,
        "script": f'<script src="{html.escape(shared)}"></script>' if shared else f"<script>{script}</script>",
        "checksum": str(zlib.crc32(text.encode())),
    }
    return fill_slots(PAGE, slots).encode()


def scene_pages(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The pages of the stations that have a scene, sorted."""
    return tuple(sorted({station["page"] for station in data["stations"] if station["scene"]}))


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def lesson_data(title: str, stations: Sequence[Mapping[str, Any]], files: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """The data of a file: its stations, the runs and fonts that they need, and what is said of it."""
    return {"title": title, "stations": list(stations), "licences": licences(), "files": {**fonts(), **files}, **more}


def _squeezed(module: str) -> str:
    """A generated module without the indentation of its lines."""
    return re.sub(r"^ +", "", module, flags=re.MULTILINE)


def light(svg: str) -> str:
    """A drawing without its fonts and its recipe, which the lesson has, and with hundredths of pixels."""
    plain = re.sub(r"<(style|metadata)[ >].*?</\1>|^<\?xml[^>]*>\s*", "", svg, flags=re.DOTALL)
    return NUMBERS.sub(lambda attribute: LONG.sub(r"\1", attribute[0]), plain)
