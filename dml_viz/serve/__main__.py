"""Serve the app to a class: ``python -m dml_viz.serve [PORT] [STREAMLIT OPTIONS]`` listens on every address.

It prints the address that others in the network can open, with its QR code, and then becomes the app.
"""

import os
import socket
import sys

import segno

DEFAULT_PORT = "8501"
HERE = "127.0.0.1"  # the address of a machine without a network
NAMED = "--server.allowedHosts="  # the name by which the class reaches the server


def address_in_network() -> str:
    """The address of this machine in its network; empty without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        try:
            connection.connect(("8.8.8.8", 1))  # sends nothing, and need not be reachable
        except OSError:
            return ""
        return str(connection.getsockname()[0])


def main(arguments: list[str]) -> None:
    """Print the address of the app, and run it."""
    port, *options = arguments or [DEFAULT_PORT]
    named = [option.removeprefix(NAMED) for option in options if option.startswith(NAMED)]
    host = next((name for name in named if "*" not in name), address_in_network() or HERE)
    url = f"http://{host}:{port}"
    segno.make(url).terminal(compact=True)
    print(f"The class opens {url} (the code above). Everyone who can reach this machine can.", flush=True)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0", f"--server.port={port}"]
    os.execv(sys.executable, [*command, f"--browser.serverAddress={host}", "--server.headless=true", *options])


if __name__ == "__main__":
    main(sys.argv[1:])
