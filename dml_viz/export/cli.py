"""The command ``dml-viz``, whose first argument names one of its commands."""

import difflib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NoReturn

from dml_viz import __version__
from dml_viz.export.parser import WRONG_CALL
from dml_viz.export.signals import STOPPED, end_at_sigterm, ignore_sigterm

INSTALL = 'python -m pip install "dml-viz[app]"'


@dataclass(frozen=True)
class Command:
    """A command: the module that has its ``main(arguments)``, which returns an exit code, and its ``parser()``; a sentence."""

    module: str
    sentence: str

    @property
    def is_included(self) -> bool:
        """Whether this version of the package has the command's module; what the module imports is not checked."""
        return find_spec(self.module) is not None


KNOWN: Mapping[str, Command] = MappingProxyType(
    {
        "app": Command("dml_viz.export.app", "open the app on this machine"),
        "serve": Command("dml_viz.export.serve", "open the app to a class, and print the address to share"),
        "watch": Command("dml_viz.export.watch", "open the app on training loops of your own"),
        "look": Command("dml_viz.export.look", "open the app on embeddings or images from files"),
        "export": Command("dml_viz.export.command", "make figures again, from files or links"),
        "sweep": Command("dml_viz.export.sweep", "train a run under several values of a knob"),
        "rehearse": Command("dml_viz.export.rehearse", "fill a classroom with simulated students"),
        "take": Command("dml_viz.export.take", "make a lesson or a scene one HTML file"),
        "completion": Command("dml_viz.export.completion", "print what completes commands in bash, zsh or fish"),
    }
)


def commands() -> dict[str, Command]:
    """The commands of this version, by name."""
    return {name: command for name, command in KNOWN.items() if command.is_included}


def run() -> NoReturn:
    """Run the command of the command line as a program: it ends at Ctrl+C and SIGTERM without a traceback."""
    end_at_sigterm()
    try:
        code = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = STOPPED + signal.SIGINT
    except BrokenPipeError:  # as of `dml-viz export ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    finally:
        ignore_sigterm()
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that is named, ``app`` where none is; the exit code is 2 for a wrong call."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["app"]
    known = commands()
    if name in ("-h", "--help"):
        print(_help(known))
        return 0
    if name in ("-V", "--version"):
        print(f"dml-viz {__version__}")
        return 0
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        mend = f"did you mean {near[0]}?" if near else f"choose from {', '.join(known)}."
        print(f"dml-viz: there is no command {name!r}; {mend}", file=sys.stderr)
        return WRONG_CALL
    try:
        return int(import_module(known[name].module).main(rest))
    except ModuleNotFoundError as missing:
        if (missing.name or "dml_viz").startswith("dml_viz"):
            raise
        print(f"dml-viz {name} needs {missing.name}, which comes with the app: {INSTALL}", file=sys.stderr)
        return WRONG_CALL


def parsers() -> dict[str, Any]:
    """The parser of each command, by name."""
    return {name: import_module(command.module).parser() for name, command in commands().items()}


def _help(known: Mapping[str, Command]) -> str:
    lines = (f"  {name:11} {command.sentence}" for name, command in known.items())
    return "\n".join(
        [
            "usage: dml-viz [COMMAND] ...",
            "",
            "See deep metric learning happen. Without a command, the app opens.",
            "",
            *lines,
            "",
            "dml-viz COMMAND -h has the options of a command, and examples.",
            "dml-viz --version  says which version this is.",
        ]
    )
