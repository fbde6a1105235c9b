"""Keeps the server's threads from starting others for matrix products. Imported before torch: it reads this when it is loaded."""

import os

from dml_viz.threads import ONE_THREAD

os.environ.update(ONE_THREAD)
