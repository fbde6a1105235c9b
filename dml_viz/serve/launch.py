"""How the app is started: the command of its process, from a clone or from an installed package, and its address."""

import importlib.util
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from dml_viz.assets import APP

PORT = 8501
HERE = "127.0.0.1"  # the address of a machine without a network


def app_command(*options: str) -> list[str]:
    """The command that runs the app with ``options`` of Streamlit, from any folder; ModuleNotFoundError without Streamlit."""
    if importlib.util.find_spec("streamlit") is None:
        raise ModuleNotFoundError("the app needs Streamlit", name="streamlit")
    # -P: files of the folder where it is started, such as a random.py, are no modules of the app.
    return [sys.executable, "-P", "-m", "streamlit", "run", str(APP), *options]


def streamlit_options(parser: ArgumentParser, words: Sequence[str]) -> list[str]:
    """The ``words``, which are options of Streamlit, each with its value; another word ends the program as a wrong call."""
    for word, before in zip(words, ["", *words], strict=False):
        is_option, is_value = word.startswith("--") and "." in word, before.startswith("--") and "=" not in before
        if not is_option and not is_value:
            parser.error(f"{word} is no option of it, nor one of Streamlit, such as --server.headless=true")
    return list(words)


def address_in_network() -> str:
    """The address of this machine in its network; empty without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        try:
            connection.connect(("8.8.8.8", 1))  # sends nothing, and need not be reachable
        except OSError:
            return ""
        return str(connection.getsockname()[0])
