"""``python -m dml_viz.export``: see `dml_viz.export.command`."""

from __future__ import annotations

import sys

from dml_viz.export.command import main
from dml_viz.export.headless import prepare

if __name__ == "__main__":
    prepare()
    sys.exit(main())
