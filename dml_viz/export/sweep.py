"""The command that sweeps a knob of a run without a page."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import parse_qsl

from dml_viz.data.own_images import read_and_register_images
from dml_viz.engine.results import results_as_csv
from dml_viz.engine.store import store_at
from dml_viz.engine.sweeps import Results, price
from dml_viz.explain.sweep.model import SCORES, Model
from dml_viz.explain.sweep.settings import SAME, SCORE, settings_of, sweep_settings
from dml_viz.explain.sweep.text import duration_in_words, verdict
from dml_viz.export.command import draw_progress_bar
from dml_viz.export.command_host import CommandHost
from dml_viz.export.parser import WRONG_CALL, CommandParser, number_in
from dml_viz.export.remake import remade_files
from dml_viz.figure_files.formats import FORMATS
from dml_viz.figure_files.spec import Spec, linked
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.source import Subject
from dml_viz.training.sweep import EQUAL, MOST_SEEDS, Sweep


def main(arguments: Sequence[str] | None = None) -> int:
    """Train a sweep, print its verdict, and save it; the exit code is 0, 1 if a run did not end, or 2 for a wrong call."""
    options = parser().parse_args(arguments)
    link = {
        **dict(parse_qsl(options.run.rpartition("?")[2])),
        "axis": options.axis,
        "seeds": str(options.seeds),
        SCORE: options.score,
    }
    link |= {"axis2": options.second} if options.second else {}
    link |= {SAME: options.equal} if options.equal != EQUAL[0] else {}
    formats = [name for name in options.format.split(",") if name]
    try:
        if options.data:
            _, images = read_and_register_images(options.data)
            if images is None:
                raise ValueError(f"{options.data} has no images to train on")
            link |= {"data": "own", "own.file": images.short_fingerprint}
        sweep = sweep_settings(LinkReader(link))
        store = store_at(options.store)
        if unknown := set(formats) - {*FORMATS}:
            raise ValueError(f"--format: {', '.join(sorted(unknown))} is not known; choose from {', '.join(FORMATS)}")
    except (ValueError, OSError) as error:  # a bad file is a ValueError, too
        print(error, file=sys.stderr)
        return WRONG_CALL
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"-o: the folder {options.output} cannot be written to ({error.strerror})", file=sys.stderr)
        return WRONG_CALL
    target = options.output / "sweep.csv"
    if target.exists() and not options.force:
        print(f"{target} is there already; --force writes over it", file=sys.stderr)
        return WRONG_CALL
    with ExitStack() as stack:
        host = CommandHost(stack, store, progress=draw_progress_bar)
        print(_price(sweep, host), file=sys.stderr)
        results = host.train_sweep(sweep)
        model = Model(settings_of(LinkReader(link), Subject(results=results)))
        print(verdict(model).replace("*", ""))
        target.write_text(results_as_csv(sweep, results), encoding="utf-8")
        print(target)
        spec = Spec(
            f"sweep-{model.main_figure_name}", "sweep", linked("sweep", {key: text for key, text in link.items() if text})
        )
        for name, body, _ in remade_files(spec, formats, host, scale=2):
            (options.output / name).write_bytes(body)
            print(options.output / name)
    return int(None in results)


def _price(sweep: Sweep, host: CommandHost) -> str:
    """A sentence on the time that the missing runs of a sweep will take."""
    engine = host.engine()
    missing = Results(engine.store).missing(sweep)
    if not missing:
        return f"{len(sweep.runs)} runs, each trained before"
    return f"{len(missing)} runs: about {duration_in_words(price(engine, sweep))} on {engine.workers} worker(s)"


def parser() -> CommandParser:
    """The parser of the arguments of ``dml-viz sweep``."""
    about = (
        "Train one run under several values of a knob, from several seeds, and say what the knob does. AXIS is the knob and its "
        "values; a second axis makes a map."
    )
    examples = (
        'dml-viz sweep loss.bins:4_10_25 --run "data=glyphs&net=mlp&run.steps=300"',
        "dml-viz sweep sampler.samples:2_8_32",
    )
    made = CommandParser("sweep", about, *examples, usage="AXIS [AXIS] [OPTIONS]")
    add = made.add_argument
    add("axis", metavar="AXIS", help=argparse.SUPPRESS)
    add("second", nargs="?", default="", metavar="AXIS", help=argparse.SUPPRESS)
    add("--run", default="", metavar="LINK", help="what else the run is, as links write it (default: that of the page)")
    add("--data", type=Path, metavar="FILE", help="train on your own images: a file or a folder of them")
    add("--seeds", type=number_in(1, MOST_SEEDS), default=5, help=f"1 to {MOST_SEEDS} (default: 5)")
    add("--score", choices=tuple(SCORES), default="map", metavar="SCORE", help=f"{', '.join(SCORES)} (default: map)")
    add("--equal", choices=EQUAL, default=EQUAL[0], metavar="WHAT", help=f"what all runs have equal: {', '.join(EQUAL)}")
    add("--store", default="memory", metavar="FOLDER", help="keep results, so that a broken-off sweep goes on")
    add("-o", "--output", type=Path, default=Path("."), metavar="FOLDER", help="the folder to write to (default: this one)")
    add("--format", default="svg", metavar="LIST", help="of the figure, as of dml-viz export (default: svg)")
    add("--force", action="store_true", help="write over files that are there already")
    return made


if __name__ == "__main__":
    sys.exit(main())
