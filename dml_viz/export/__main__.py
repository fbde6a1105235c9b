"""``python -m dml_viz.export``: see `dml_viz.export.command`."""

import sys

from dml_viz.export.command import main

if __name__ == "__main__":
    sys.exit(main())
