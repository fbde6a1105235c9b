"""Where the app and its files lie: the scripts as written and as built, styles, fonts, and Plotly's library."""

import hashlib
import json
from functools import cache
from pathlib import Path

import plotly
from plotly.offline import get_plotlyjs_version

_IN_WHEEL = Path(__file__).parent / "site"  # assets/build/wheel.py maps them there
IN_CLONE = not _IN_WHEEL.exists()
# The folder of app.py, pages and assets: the root of a clone, or the copy of them that a wheel brings.
HOME = Path(__file__).parents[1] if IN_CLONE else _IN_WHEEL
APP = HOME / "app.py"
ASSETS = HOME / "assets"
LOSSES = "src/losses/losses.js"  # written by to_javascript, not kept as a file
_MANIFEST = json.loads((ASSETS / "dist" / "manifest.json").read_text(encoding="utf-8"))
_WHOLE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
# Plotly with the trace types that the pages use, as long as it is of the version that writes the figures.
PLOTLY = ASSETS / "dist" / "plotly.min.js" if _MANIFEST["plotly"] == get_plotlyjs_version() else _WHOLE


def browser_files() -> dict[str, Path]:
    """The files that a page may load, by path below the assets: scripts and their maps, styles, fonts, runs, Plotly, programs."""
    patterns = ("src/**/*.js", "dist/js/*.js*", "css/*.css", "fonts/*.ttf", "fonts/*.woff2", "recorded/*.bin", "scripts/*.py")
    found = sorted(path for pattern in patterns for path in ASSETS.glob(pattern))
    return {PLOTLY.name: PLOTLY} | {path.relative_to(ASSETS).as_posix(): path for path in found}


def component_file(name: str) -> str:
    """The path of a component's script: as built (``make dist``), or as written where that has changed since."""
    return f"dist/js/{name}.js" if _built() else f"src/components/{name}.js"


def component_files(name: str) -> tuple[str, ...]:
    """The paths of a component's script and of those that it imports as built."""
    chunks = _MANIFEST["chunks"][name] if _built() else ()
    return (component_file(name), *(f"dist/js/{chunk}" for chunk in chunks))


@cache
def _built() -> bool:
    sources = sorted((path.relative_to(ASSETS).as_posix(), path) for path in (ASSETS / "src").rglob("*.[jt]s"))
    texts = "".join(f"{name}\n{path.read_text(encoding='utf-8')}" for name, path in sources)
    return hashlib.sha256(texts.encode()).hexdigest() == _MANIFEST["sources"]
