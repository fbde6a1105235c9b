"""The command that makes figures again from their specs, or from files exported earlier, without a page."""

import argparse
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from dml_viz.data.files import FileError
from dml_viz.export.command_host import CommandHost
from dml_viz.export.compose import names_file, spec_of_link
from dml_viz.export.parser import WRONG_CALL, CommandParser
from dml_viz.export.picture import pages
from dml_viz.export.remake import figures_with_formats, other_versions, remade_files
from dml_viz.figure_files.formats import FORMATS, NoRecipeError, read_spec
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import Spec, address_today
from dml_viz.room.tray import COLUMNS, STYLE, composition

BAR = 30
SIZES: Mapping[str, dict[str, Any]] = {
    "one": {"width": 3.3, "points": 8.0},
    "two": {"width": 6.9, "points": 8.0},
    "slide": {"width": 13.333, "height": 7.5, "points": 18.0, "letters": "outlines"},
    "poster": {"width": 24.0, "height": 18.0, "points": 32.0, "letters": "outlines"},
}
MM = 25.4  # to the inch
FEWEST, MOST, LONGEST = 160, 3840, 60  # pixels of a film's side, and its seconds
SUFFIXES = tuple(f".{name}" for name in FORMATS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the figures of the command line; the exit code is 0 for all made, 1 if some failed, 2 for a wrong call."""
    options = parser().parse_args(arguments)
    formats = [name.strip().lower() for name in options.format.split(",") if name.strip()]
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        names = ", ".join(unknown) or "nothing"
        print(f"--format: {names} is not known; choose from {', '.join(FORMATS)}", file=sys.stderr)
        return WRONG_CALL
    sources = list(_sources(options.source))
    if not sources:
        print(f"there is no file that carries a recipe ({', '.join(SUFFIXES)}) among what was named", file=sys.stderr)
        return WRONG_CALL
    is_new = not options.output.exists()
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"-o: the folder {options.output} cannot be written to ({error.strerror})", file=sys.stderr)
        return WRONG_CALL
    formats = list(dict.fromkeys([*formats, *filter(None, (FORMATS[name].companion for name in formats))]))
    film = {"seconds": options.seconds, **options.pixels}
    failed, taken = 0, set[Path]()
    with ExitStack() as stack:
        try:
            host = CommandHost(stack, data=options.data, progress=draw_progress_bar)
        except (FileError, OSError) as error:
            print(f"--data: {error}", file=sys.stderr)
            return WRONG_CALL
        links = [source for source in sources if isinstance(source, str)]
        files = () if any(names_file(link) for link in links) else tuple(host.own)
        named: list[tuple[str, Callable[[], Spec]]] = [(str(source), partial(_read, source, files)) for source in sources]
        if options.compose:
            style = replace(STYLE, **options.size or {})
            named = [("the tray", lambda: composition([_read(source, files) for source in sources], options.compose, style))]
        for number, (source, read) in enumerate(named, 1):
            if sys.stderr.isatty():
                print(f"[{number}/{len(named)}] {source}", file=sys.stderr)
            try:
                spec = read()
                if options.size and not options.compose:
                    spec = replace(spec, write_up={**STYLE.write(), **(spec.write_up or {}), "height": None, **options.size})
                each = [
                    (part, forms, _targets(stem, forms, taken))
                    for part, forms, stem in figures_with_formats(spec, formats, options.output / spec.figure)
                ]
                for target in chain.from_iterable(targets for *_, targets in each):
                    if target.exists() and not options.force:
                        raise ValueError(f"{target} is there already; --force writes over it")
                if others := other_versions(spec):
                    print(f"{source}: {others}", file=sys.stderr)
                make = partial(remade_files, host=host, scale=options.scale, film=film)
                # All before the first is written: a figure that has not all files has none.
                made = [list(make(part, forms, name=targets[0].stem)) for part, forms, targets in each]
                for target, (_, body, notes) in zip(
                    chain.from_iterable(targets for *_, targets in each), chain.from_iterable(made), strict=True
                ):
                    target.parent.mkdir(exist_ok=True)
                    target.write_bytes(body)
                    print(target)
                    for note in notes:
                        print(f"{target}: {note}", file=sys.stderr)
            except (ValueError, LookupError, OSError, RuntimeError) as error:
                failed += 1
                reason = error.args[0] if isinstance(error, LookupError) and error.args else error
                if isinstance(error, OSError):
                    reason = f"{error.filename} cannot be written ({error.strerror})"
                print(f"{source}: {reason}", file=sys.stderr)
        if not failed and (idle := host.files_not_shown):
            print(f"--data: no figure shows {', '.join(map(str, idle))}", file=sys.stderr)
            return 1
    if failed:
        if is_new and not any(options.output.iterdir()):
            options.output.rmdir()
        print(f"{failed} of {len(named)} could not be made", file=sys.stderr)
    return 1 if failed else 0


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz export``."""
    about = (
        f"Make figures again. A SOURCE is an exported file ({' '.join(SUFFIXES)}), a folder of such files, or a page's link with "
        "the figure behind #."
    )
    examples = (
        "dml-viz export figure.svg -o figures --format pdf,csv",
        'dml-viz export "fastap?fastap.bins=20#fastap-pipeline" --size two --format pdf',
    )
    made = CommandParser("export", about, *examples, usage="SOURCE ... [OPTIONS]")
    add = made.add_argument
    add("source", nargs="+", metavar="SOURCE", help=argparse.SUPPRESS)
    add("-o", "--output", type=Path, default=Path("."), metavar="FOLDER", help="the folder to write to (default: this one)")
    add("--format", default="svg", metavar="LIST", help=f"one or more of {','.join(FORMATS)}")
    add("--size", type=_size, help=f"{', '.join(SIZES)}, 80x60 (mm) or 3.5x2in")
    add("--compose", type=int, choices=COLUMNS, metavar="COLUMNS", help="draw all as panels of one figure, in 1 to 4 columns")
    add(
        "--data",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a file of yours that figures are of; more than once",
    )
    add("--scale", type=int, choices=FORMATS["png"].scales, default=2, help="of a PNG, in pixels to 1/96 in (default: 2)")
    add("--seconds", type=_seconds, default=8, help=f"length of a film, 1 to {LONGEST} (default: 8)")
    add("--pixels", type=_pixels, default={}, help=f"size of a film, even, {FEWEST} to {MOST} (default: 1280x720)")
    add("--force", action="store_true", help="write over files that are there already")
    return made


def _pixels(text: str) -> dict[str, int]:
    """Width and height of a film in pixels; encoders need even numbers."""
    sides = [int(side) if side.isdecimal() else 0 for side in text.lower().split("x")]
    if len(sides) != 2 or not all(side % 2 == 0 and FEWEST <= side <= MOST for side in sides):
        raise ArgumentTypeError(f"{text} is no size; choose two even numbers from {FEWEST} to {MOST}, such as 1280x720")
    return {"width": sides[0], "height": sides[1]}


def _seconds(text: str) -> int:
    """The seconds of a film."""
    if not text.isdecimal() or not 1 <= int(text) <= LONGEST:
        raise ArgumentTypeError(f"{text} is no length; choose 1 to {LONGEST} seconds")
    return int(text)


def _size(text: str) -> dict[str, Any]:
    """The export options width, height and points that ``text`` names."""
    if text in SIZES:
        return dict(SIZES[text])
    unit = 1 if text.endswith("in") else MM
    try:
        numbers = [float(side) / unit for side in text.removesuffix("in").lower().split("x")]
        sides = dict(zip(("width", "height"), numbers, strict=len(numbers) > 1))
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is no size; choose {', '.join(SIZES)}, 80x60 (mm) or 3.5x2in") from error
    try:
        ExportOptions.of(sides)
    except ValueError as error:
        raise ArgumentTypeError(f"{text}: {str(error).removeprefix('ExportOptions: ')}") from error
    return {**sides, "points": 8.0}


def _sources(named: Iterable[str]) -> Iterator[Path | str]:
    """The files and links that are named; of a folder the files that carry a recipe."""
    for name in named:
        path = Path(name)
        if path.is_dir():
            for file in sorted(each for each in path.iterdir() if each.suffix.lower() in SUFFIXES):
                if _lacks_recipe(file):
                    print(f"{file} carries no recipe; it is left out", file=sys.stderr)
                else:
                    yield file
        else:
            yield path if path.exists() or not _is_link(name) else name


def _is_link(name: str) -> bool:
    """Whether ``name``, of no file, is a page's link, with a figure or without."""
    return any(sign in name for sign in ("#", "?", "://")) or address_today(name.rpartition("/")[2]) in pages()


def _lacks_recipe(file: Path) -> bool:
    """Whether a file does not say how it was made; what else is wrong with it is said where its figure is made."""
    try:
        read_spec(file)
    except ValueError as error:
        return isinstance(error, NoRecipeError)
    return False


def _read(source: Path | str, files: Sequence[str]) -> Spec:
    """The spec of a file, or of a link, which is drawn of the visitor's ``files``, by fingerprint."""
    return spec_of_link(source, files) if isinstance(source, str) else read_spec(source)


def _targets(stem: Path, formats: Sequence[str], taken: set[Path]) -> list[Path]:
    """The files of one figure, with a name that is unique in one call."""
    unique, count = stem, 1
    while unique in taken:
        count += 1
        unique = stem.with_name(f"{stem.name}-{count}")
    taken.add(unique)
    return [unique.with_name(f"{unique.name}.{form}") for form in formats]


def draw_progress_bar(step: int, steps: int) -> None:
    """Draw a bar of the steps trained, on a terminal."""
    if not sys.stderr.isatty():
        return
    done = BAR * step // max(steps, 1)
    end = "\n" if step >= steps else ""
    print(f"\r  training [{'#' * done}{'.' * (BAR - done)}] step {step} of {steps}", end=end, file=sys.stderr, flush=True)
