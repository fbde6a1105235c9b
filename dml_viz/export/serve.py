"""The command that opens the app to a class: it prints the address to share, with its QR code, and then becomes the app."""

import os
import sys
from collections.abc import Sequence

import segno

from dml_viz.export.parser import CommandParser, port
from dml_viz.serve.launch import HERE, PORT, address_in_network, app_command, streamlit_options

NAMED = "--server.allowedHosts="  # the name by which the class reaches the server


def main(arguments: Sequence[str]) -> int:
    """Print the address of the app, and become it; the exit code is 2 for a wrong call."""
    options, others = parser().parse_known_args(arguments)
    others = streamlit_options(parser(), others)
    named = [option.removeprefix(NAMED) for option in others if option.startswith(NAMED)]
    host = next((name for name in named if "*" not in name), address_in_network() or HERE)
    everywhere = ("--server.address=0.0.0.0", f"--browser.serverAddress={host}", "--server.headless=true")
    command = app_command(*everywhere, f"--server.port={options.port}", *others)
    url = f"http://{host}:{options.port}"
    segno.make(url).terminal(compact=True)
    print(f"The class opens {url} (the code above). Everyone who can reach this machine can.", flush=True)
    os.execv(sys.executable, command)


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz serve``."""
    made = CommandParser(
        "serve",
        "Open the app to a class: listen on every address of this machine, and print the one to share with its QR code. "
        "Options of Streamlit may follow.",
        "dml-viz serve",
        "dml-viz serve --port 8600 --server.allowedHosts=lab.example.org",
        usage="[--port PORT] [STREAMLIT OPTIONS]",
    )
    made.add_argument("--port", type=port, default=PORT, help=f"where the app listens (default: {PORT})")
    return made
