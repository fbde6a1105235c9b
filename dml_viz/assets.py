"""Where the files for the browser lie: our own, and Plotly's library."""

from __future__ import annotations

from pathlib import Path

import plotly

ASSETS = Path(__file__).parents[1] / "assets"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
LOSSES = "src/losses/losses.js"  # written by to_javascript, not kept as a file


def browser_files(assets: Path = ASSETS) -> dict[str, Path]:
    """What a page may load, by its path below the folder of ``assets``: scripts, styles, fonts, and Plotly."""
    found = [*assets.glob("src/**/*.js"), *assets.glob("css/*.css"), *assets.glob("fonts/*.ttf")]
    return {PLOTLY.name: PLOTLY} | {path.relative_to(assets).as_posix(): path for path in sorted(found)}
