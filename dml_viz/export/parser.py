"""The parser of a command of ``dml-viz``: help of one screen with an example, errors of one sentence."""

import argparse
from collections.abc import Callable
from typing import NoReturn
from urllib.parse import urlsplit

WRONG_CALL = 2  # the exit code
EXAMPLES = "examples:\n"


class CommandParser(argparse.ArgumentParser):
    """The parser of the command ``name``, which does what ``about`` says; ``examples`` are lines that can be typed."""

    def __init__(self, name: str, about: str, *examples: str, usage: str = "") -> None:
        super().__init__(
            prog=f"dml-viz {name}",
            usage=f"dml-viz {name} {usage}" if usage else None,
            description=about,
            epilog=EXAMPLES + "\n".join(f"  {example}" for example in examples),
            formatter_class=_Help,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """End the program with a sentence and exit code 2."""
        self.exit(WRONG_CALL, f"{self.prog}: {message.rstrip('.')}. {self.prog} -h has an example.\n")


def number_in(low: float, high: float) -> Callable[[str], float]:
    """The type of an option that is a number in [low, high], whole if these are."""
    kind = type(low)

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            whole = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not allowed; choose {whole} in [{low:g}, {high:g}]")
        return value

    return read


port = number_in(1, 65535)


def address(text: str) -> str:
    """The address of an app in ``text``, with the slash at its end."""
    if urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).netloc:
        raise argparse.ArgumentTypeError(f"{text} is no address; write one such as https://here.example/app/")
    return f"{text.rstrip('/')}/"


class _Help(argparse.HelpFormatter):
    """Help in two columns, with examples as they are typed."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(EXAMPLES) else super()._fill_text(text, width, indent)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """An option with its value once, ``-o, --output FOLDER``, as from Python 3.13 on."""
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"
