"""Where the files for the browser lie: our own, and Plotly's library."""

from __future__ import annotations

from pathlib import Path

import plotly

ASSETS = Path(__file__).parents[1] / "assets"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
