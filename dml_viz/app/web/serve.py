"""Serve a class: ``python -m dml_viz.app.web.serve [PORT] [STREAMLIT OPTIONS]`` listens on every address of this machine.

It prints the address that others in the network can open, with its QR code, and then becomes the app.
"""

import os
import socket
import sys

import segno

DEFAULT_PORT = "8501"
ELSEWHERE = ("192.0.2.1", 9)  # an address kept for documentation: nothing is sent, the system only picks the way there


def network_host() -> str:
    """The address of this machine in its network; that of the machine to itself where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def main(arguments: list[str]) -> None:
    """Print where the app will be, and run it."""
    port, *options = arguments or [DEFAULT_PORT]
    url = f"http://{network_host()}:{port}"
    segno.make(url).terminal(compact=True)
    print(f"The class opens {url} (the code above). Everyone who can reach this machine can.", flush=True)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0", f"--server.port={port}"]
    os.execv(sys.executable, [*command, "--server.headless=true", *options])


if __name__ == "__main__":
    main(sys.argv[1:])
