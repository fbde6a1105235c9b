"""The command that makes figures again from their recipes, or from files exported earlier, with no page open."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from dml_viz.export.picture import Workshop
from dml_viz.export.remake import remade
from dml_viz.figure_files.formats import FORMATS, read_spec

BAR = 30
SUFFIXES = tuple(f".{name}" for name in FORMATS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes what the command line asks for; 0 where all could be made, 1 where some could not, 2 for a wrong call."""
    asked = _parser().parse_args(arguments)
    formats = [name.strip().lower() for name in asked.format.split(",") if name.strip()]
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        names = ", ".join(unknown) or "nothing"
        print(f"--format: {names} is not known; choose from {', '.join(FORMATS)}", file=sys.stderr)
        return 2
    sources = list(_sources(asked.source))
    if not sources:
        print(f"there is no file that carries a recipe ({', '.join(SUFFIXES)}) among what was named", file=sys.stderr)
        return 2
    asked.output.mkdir(parents=True, exist_ok=True)
    failed, taken = 0, set[str]()
    with ExitStack() as stack:
        workshop = Workshop(stack)
        for place, source in enumerate(sources, 1):
            print(f"[{place}/{len(sources)}] {source}", file=sys.stderr)
            try:
                spec = read_spec(source)
                for name, body in remade(spec, formats, workshop, scale=asked.scale, progress=progress):
                    target = asked.output / _unused(name, taken)
                    target.write_bytes(body)
                    print(target)
            except (ValueError, LookupError, OSError, RuntimeError) as error:
                failed += 1
                reason = error.args[0] if isinstance(error, LookupError) and error.args else error
                print(f"{source}: {reason}", file=sys.stderr)
    if failed:
        print(f"{failed} of {len(sources)} could not be made", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dml_viz.export",
        description="Make figures again from their recipes, or from files exported earlier.",
    )
    parser.add_argument(
        "source",
        nargs="+",
        type=Path,
        help=f"a recipe or an exported file ({', '.join(SUFFIXES)}), or a folder of them",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("."), help="the folder to write to (default: this one)"
    )
    parser.add_argument(
        "--format", default="svg", help=f"one or more of {','.join(FORMATS)}, apart by commas (default: svg)"
    )
    parser.add_argument(
        "--scale",
        type=int,
        choices=FORMATS["png"].scales,
        default=2,
        help="of a PNG, in pixels to 1/96 in (default: 2)",
    )
    return parser


def _sources(named: Iterable[Path]) -> Iterator[Path]:
    for path in named:
        if path.is_dir():
            yield from sorted(each for each in path.iterdir() if each.suffix.lower() in SUFFIXES)
        else:
            yield path


def _unused(name: str, taken: set[str]) -> str:
    """A name of its own for each file of one call."""
    stem, dot, suffix = name.rpartition(".")
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{stem}-{count}{dot}{suffix}"
    taken.add(found)
    return found


def progress(step: int, steps: int) -> None:
    """Draw a bar of the steps trained."""
    done = BAR * step // max(steps, 1)
    end = "\n" if step >= steps else ""
    print(
        f"\r  training [{'#' * done}{'.' * (BAR - done)}] step {step} of {steps}", end=end, file=sys.stderr, flush=True
    )
