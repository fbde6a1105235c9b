"""``python -m dml_viz.export``: see `dml_viz.export.command`."""

from __future__ import annotations

import sys

from dml_viz.export.command import main

if __name__ == "__main__":
    sys.exit(main())
