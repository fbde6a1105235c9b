"""The limits of one server: seconds of a slice, and how many runs, seconds and bytes are kept."""

from dataclasses import dataclass
from typing import Any

from dml_viz.params import Declared, param


def _limit(default: float, domain: str, meaning: str) -> Any:
    return param(default, meaning, domain=domain)


@dataclass(frozen=True)
class Limits(Declared):
    """The caps of an engine; ValueError for a value outside its domain."""

    slice: float = _limit(0.08, "(0, 1] s", "how long a worker trains one run before it turns to the next")
    unwatched: float = _limit(5.0, "(0, 3600] s", "how long a run that no one watches trains on before it falls asleep")
    released: float = _limit(
        60.0, "[0, 3600] s", "how long a run whose session has closed is kept, asleep, in case that it was only a network blip"
    )
    forgotten: float = _limit(1800.0, "(0, 1e6] s", "how long a run that no one watches is kept at all")
    seconds: float = _limit(600.0, "(0, 1e6] s", "how long a run may train in all")
    deadline: float = _limit(60.0, "(0, 3600] s", "how long a worker may take over one call before another takes its place")
    runs: int = _limit(200, "[1, 10000]", "how many runs, races and sweeps are kept at once")
    visitor_jobs: int = _limit(12, "[1, 10000]", "how many runs, races and sweeps a visitor has at once")
    visitor_runs: int = _limit(720, "[1, 1000000]", "how many runs these have together")
    crowd: int = _limit(
        4, "[1, 1000]", "how many times that much those have who come from one address without a cookie, perhaps a class"
    )
    address_jobs: int = _limit(
        120,
        "[1, 10000]",
        "how many runs, races and sweeps come from one address at once, whatever the browsers there call themselves",
    )
    sweep: float = _limit(3600.0, "(0, 1e6] s", "how long a sweep may take by its price; a longer one is not begun")
    history: int = _limit(
        24_000_000,
        "[1, 1e10] bytes",
        "how much a run keeps of its frames; beyond it they are thinned, all but the first and the last",
    )
    deaths: int = _limit(3, "[1, 100]", "how many workers in a row may die over one slice before the run is called failed")
