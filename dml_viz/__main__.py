"""``python -m dml_viz``: see `dml_viz.export.cli`."""

from dml_viz.export.cli import run

if __name__ == "__main__":
    run()
