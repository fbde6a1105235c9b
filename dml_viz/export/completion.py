"""The command that prints completion scripts of a shell."""

import argparse
from collections.abc import Sequence

import shtab

from dml_viz.export.cli import commands, parsers
from dml_viz.export.parser import CommandParser

FILES = {
    "bash": "~/.local/share/bash-completion/completions/dml-viz",
    "zsh": "~/.zfunc/_dml-viz",
    "fish": "~/.config/fish/completions/dml-viz.fish",
}
# What completes an argument, by the name of its value; a link or a lesson may be a file, too.
COMPLETED = {**dict.fromkeys(("FILE", "OTHER", "SOURCE", "LINK"), shtab.FILE), "FOLDER": shtab.DIRECTORY}


def main(arguments: Sequence[str]) -> int:
    """Print the script of a shell."""
    print(completion_script(parser().parse_args(arguments).shell))
    return 0


def completion_script(shell: str) -> str:
    """The script that completes commands and options of ``dml-viz`` in ``shell``."""
    whole = argparse.ArgumentParser(prog="dml-viz")
    whole.add_argument("--version", action="store_true", help="say which version this is")
    under = whole.add_subparsers()
    sentences = commands()
    for name, each in parsers().items():
        for argument in each._actions:
            if isinstance(argument.metavar, str) and argument.metavar in COMPLETED:
                argument.complete = COMPLETED[argument.metavar]  # which shtab reads
            argument.help = argument.dest if argument.help is argparse.SUPPRESS else argument.help  # else it is not completed
        under.add_parser(name, parents=[each], add_help=False, help=sentences[name].sentence)
    return shtab.complete(whole, shell)


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz completion``."""
    lines = (f"dml-viz completion {shell} > {file}" for shell, file in FILES.items())
    about = (
        "Print the script by which a shell completes commands and options of dml-viz. It is saved once, where the shell looks "
        "for it; zsh looks into folders of its fpath."
    )
    made = CommandParser("completion", about, *lines, usage="SHELL")
    made.add_argument("shell", choices=tuple(FILES), help=argparse.SUPPRESS)
    return made
