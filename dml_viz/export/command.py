"""The command that makes figures again from their recipes, or from files exported earlier, with no page open."""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from dml_viz.assets import ASSETS
from dml_viz.export.picture import Workshop
from dml_viz.export.remake import other_versions, remade
from dml_viz.figure_files.formats import FORMATS, read_spec
from dml_viz.figure_files.spec import Spec

BAR = 30
POINTS, LARGEST = 72, 100_000_000  # to the inch; bytes
EXAMPLE = f"""an example, with a picture of the gallery:
  dml-viz export {ASSETS / "gallery" / "training.svg"} -o figures --format pdf,csv
"""
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
    try:
        asked.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"-o: the folder {asked.output} cannot be written to ({error.strerror})", file=sys.stderr)
        return 2
    formats = list(dict.fromkeys([*formats, *filter(None, (FORMATS[name].companion for name in formats))]))
    failed, taken = 0, set[Path]()
    with ExitStack() as stack:
        workshop = Workshop(stack)
        for place, source in enumerate(sources, 1):
            print(f"[{place}/{len(sources)}] {source}", file=sys.stderr)
            try:
                spec = read_spec(source)
                targets = _targets(asked.output / spec.figure, formats, taken)
                for target in targets:
                    if target.exists() and not asked.force:
                        raise ValueError(f"{target} is there already; --force writes over it")
                if others := other_versions(spec):
                    print(f"{source}: {others}", file=sys.stderr)
                bodies = remade(spec, formats, workshop, scale=asked.scale, progress=progress)
                for target, (_, body) in zip(targets, bodies, strict=True):
                    target.write_bytes(body)
                    print(target)
                    if grown := _grown(spec, body):
                        print(f"{target}: {grown}", file=sys.stderr)
            except (ValueError, LookupError, OSError, RuntimeError) as error:
                failed += 1
                reason = error.args[0] if isinstance(error, LookupError) and error.args else error
                if isinstance(error, OSError):
                    reason = f"{error.filename} cannot be written ({error.strerror})"
                print(f"{source}: {reason}", file=sys.stderr)
    if failed:
        print(f"{failed} of {len(sources)} could not be made", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dml-viz export",
        description="Make figures again from their recipes, or from files exported earlier.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    parser.add_argument("--force", action="store_true", help="write over files that are there already")
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


def _targets(stem: Path, formats: Sequence[str], taken: set[Path]) -> list[Path]:
    """The files of one figure, with a name of its own among all of one call."""
    found, count = stem, 1
    while found in taken:
        count += 1
        found = stem.with_name(f"{stem.name}-{count}")
    taken.add(found)
    return [found.with_name(f"{found.name}.{form}") for form in formats]


def _grown(spec: Spec, body: bytes) -> str:
    """What to say of a PDF that is higher than its spec asked for, since its words would not fit; empty for any other file."""
    asked, box = (spec.write_up or {}).get("height"), re.search(rb"/MediaBox \[0 0 [\d.]+ ([\d.]+)\]", body[:LARGEST])
    if not asked or not box or float(box[1]) <= 1.01 * POINTS * asked:
        return ""
    high = float(box[1]) / POINTS
    return f"there is more in it than {asked:.2f} in of height hold; it is {high:.2f} in high, with words of 6 points"


def progress(step: int, steps: int) -> None:
    """Draw a bar of the steps trained."""
    done = BAR * step // max(steps, 1)
    end = "\n" if step >= steps else ""
    print(
        f"\r  training [{'#' * done}{'.' * (BAR - done)}] step {step} of {steps}", end=end, file=sys.stderr, flush=True
    )
