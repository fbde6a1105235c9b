"""The command that makes the recorded runs anew: ``python -m dml_viz.export.record [NAME ...]``, by default all.

    start, race, rows   the files of dml_viz/engine/recordings.py
    named               the answer to the example of Name that loss
    sweeps, methods     the results of the Sweep page's presets, and of the comparisons of methods
    again               both once more, with first weights changed in their last bit, as pages say what another processor may show
    check               train the first steps of every recorded run, record nothing, and name the runs that are not today's

Results that are still today's are kept, so a command that was broken off goes on where it was. One run trains on each core.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType

from dml_viz.data.wire import joined
from dml_viz.engine.recordings import RECORDED, ROWS, runs_of_recordings, stored_first_steps, write_recording
from dml_viz.engine.results import FILE, Recorded, RecordedResult
from dml_viz.explain.beyond_one_loss.model_training import recorded_sweeps
from dml_viz.explain.name_that_loss.recorded import is_todays, record_answer
from dml_viz.explain.sweep.settings import PRESETS, sweep_settings
from dml_viz.export.command import draw_progress_bar
from dml_viz.room.ask import as_link
from dml_viz.room.link_reader import LinkReader
from dml_viz.training.first_steps import agrees_with_recorded, digest
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

AGAIN, CHECK, NAMED = "again", "check", "named"


def preset_sweeps() -> tuple[Sweep, ...]:
    """The sweep with which the Sweep page opens, and those of its presets."""
    links = [{}, *(as_link(settings) for settings, _ in PRESETS.values())]
    return tuple(sweep_settings(LinkReader(link)) for link in links)


SWEEPS: Mapping[str, Callable[[], tuple[Sweep, ...]]] = MappingProxyType({"sweeps": preset_sweeps, "methods": recorded_sweeps})


def runs_by_digest(names: Iterable[str] = tuple(SWEEPS)) -> dict[str, Run]:
    """The runs whose results are recorded, by their digests."""
    return {digest(run): run for name in names for sweep in SWEEPS[name]() for run in sweep.runs}


def record_results(names: Iterable[str], *, again: bool = False, path: Path = FILE) -> None:
    """Train the runs of `SWEEPS` called ``names`` that have no result of today, and write all results to ``path``.

    With ``again``, also train those once more with nudged first weights, to record how far results vary.
    """
    everything, runs, unfinished = runs_by_digest(), runs_by_digest(names), path.with_suffix(".part")
    known = {**Recorded.of_file(path).by_digest, **Recorded.of_file(unfinished).by_digest}
    known = {name: result for name, result in known.items() if name in everything}
    with _pool() as pool, unfinished.open("wb") as file:

        def keep(name: str, result: RecordedResult) -> None:
            known[name] = result
            file.write(joined([result.named(name)]))
            file.flush()

        for name, result in list(known.items()):
            keep(name, result)
        fits = {name: pool.submit(_fits, known[name], runs[name]) for name in runs if name in known}
        missing = [name for name in runs if name not in known or not fits[name].result()]
        for name, result in _done({name: pool.submit(RecordedResult.trained, runs[name]) for name in missing}):
            keep(name, result)
        once = [name for name in runs if again and not len(known[name].again)]
        for name, result in _done({name: pool.submit(known[name].trained_again, runs[name]) for name in once}):
            keep(name, result)
    path.write_bytes(joined(known[name].named(name) for name in everything if name in known))
    unfinished.unlink()


def complaints_on_recorded(path: Path = FILE) -> list[str]:
    """What is recorded and not today's: the run, by its loss, its method and its seed; all recorded runs are looked at."""
    results, runs = Recorded.of_file(path).by_digest, runs_by_digest()
    first = {**stored_first_steps(), **{name: results[name].first for name in runs if name in results}}
    runs |= {digest(run): run for run in runs_of_recordings((*RECORDED, ROWS))}
    with _pool() as pool:
        fits = {name: pool.submit(agrees_with_recorded, first[name], run) for name, run in runs.items() if name in first}
        return [
            f"{run.loss.title}, {run.method.title.lower()}, seed {run.seed}: "
            f"{'first steps are others' if name in first else 'not recorded'}"
            for name, run in runs.items()
            if name not in fits or not fits[name].result()
        ]


def _fits(result: RecordedResult, run: Run) -> bool:
    return agrees_with_recorded(result.first, run)


def _done(futures: Mapping[str, Future[RecordedResult]]) -> Iterator[tuple[str, RecordedResult]]:
    """Each result with its name as it is done; progress is printed."""
    names = {future: name for name, future in futures.items()}
    for number, future in enumerate(as_completed(names), 1):
        yield names[future], future.result()
        draw_progress_bar(number, len(futures))


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(os.cpu_count(), get_context("spawn"))


def main(names: list[str]) -> int:
    """Record what is named, or everything; the exit code, 1 if a check finds what is not today's, 2 for an unknown name."""
    known = (*RECORDED, ROWS, NAMED, *SWEEPS, AGAIN, CHECK)
    if unknown := [name for name in names if name not in known]:
        print(f"no recording is called {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    if CHECK in names:
        found = [*complaints_on_recorded(), *([] if is_todays() else ["Name that loss, its example"])]
        print("\n".join(found) or "all that is recorded is today's")
        return int(bool(found))
    for name in (*RECORDED, ROWS):
        if name in (names or known):
            print(f"{name}: {write_recording(name):,} bytes")
    if NAMED in (names or known):
        print(f"{NAMED}: {record_answer():,} bytes")
    results = [name for name in SWEEPS if not names or name in names]
    if results or AGAIN in names:
        record_results(results or tuple(SWEEPS), again=not names or AGAIN in names)
        print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
