"""The command that opens the app on this machine."""

import os
import sys
from collections.abc import Sequence

from dml_viz.export.parser import CommandParser, port
from dml_viz.serve.launch import PORT, app_command, streamlit_options


def main(arguments: Sequence[str]) -> int:
    """Become the app; the exit code is 2 for a wrong call."""
    options, others = parser().parse_known_args(arguments)
    command = app_command(f"--server.port={options.port}", *streamlit_options(parser(), others))
    os.execv(sys.executable, command)


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz app``."""
    made = CommandParser(
        "app",
        "Open the app on this machine, in the browser. Options of Streamlit may follow. Stop it with Ctrl+C.",
        "dml-viz app",
        "dml-viz app --port 8600 --server.headless=true",
        usage="[--port PORT] [STREAMLIT OPTIONS]",
    )
    made.add_argument("--port", type=port, default=PORT, help=f"where the app listens (default: {PORT})")
    return made
