"""The command ``dml-viz``, whose first argument names one of its commands."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

# The module of each command, with a docstring and a function ``main(arguments)`` that returns the exit code.
COMMANDS = {
    "export": "dml_viz.export.command",
    "look": "dml_viz.export.look",
    "sweep": "dml_viz.export.sweep",
    "take": "dml_viz.export.take",
    "watch": "dml_viz.export.watch",
}

CLONE = (
    "An installed dml-viz watches training loops (from dml_viz import watch); its app, pages and figures are in the repository: "
    "clone it, and run pip install -r requirements.txt -e . there."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that is named; the exit code is 2 for an unknown one."""
    name, *rest = [*(sys.argv[1:] if arguments is None else arguments), ""]
    if not (Path(__file__).parents[2] / "app.py").exists():
        print(CLONE, file=sys.stderr)
        return 2
    if name in COMMANDS:
        return int(import_module(COMMANDS[name]).main(rest[:-1]))
    each = [f"  {command:8} {(import_module(module).__doc__ or '').splitlines()[0]}" for command, module in COMMANDS.items()]
    print("usage: dml-viz COMMAND ...", *each, "dml-viz COMMAND --help says more.", sep="\n", file=sys.stderr)
    return 0 if name in ("-h", "--help") else 2
