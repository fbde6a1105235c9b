"""The limits of one server: seconds of a slice, and how many runs, seconds and bytes are kept."""

from dataclasses import dataclass

from dml_viz.params import Declared, param


@dataclass(frozen=True)
class Limits(Declared):
    """The caps of an engine; ValueError for a value outside its domain."""

    slice: float = param(
        0.08, r"\Delta t", domain="(0, 1] s", meaning="how long a worker trains one run before it turns to the next"
    )
    unwatched: float = param(
        5.0,
        r"t_{\mathrm{watch}}",
        domain="(0, 3600] s",
        meaning="how long a run that no one watches trains on before it falls asleep",
    )
    released: float = param(
        60.0,
        r"t_{\mathrm{release}}",
        domain="[0, 3600] s",
        meaning="how long a run whose session has closed is kept, asleep, in case that it was only a network blip",
    )
    forgotten: float = param(
        1800.0, r"t_{\mathrm{forget}}", domain="(0, 1e6] s", meaning="how long a run that no one watches is kept at all"
    )
    seconds: float = param(600.0, r"t_{\mathrm{max}}", domain="(0, 1e6] s", meaning="how long a run may train in all")
    deadline: float = param(
        60.0,
        r"t_{\mathrm{dead}}",
        domain="(0, 3600] s",
        meaning="how long a worker may take over one call before another takes its place",
    )
    runs: int = param(200, r"n_{\mathrm{jobs}}", domain="[1, 10000]", meaning="how many runs, races and sweeps are kept at once")
    visitor_jobs: int = param(
        12, r"n_{\mathrm{own}}", domain="[1, 10000]", meaning="how many runs, races and sweeps a visitor has at once"
    )
    visitor_runs: int = param(720, r"n_{\mathrm{members}}", domain="[1, 1000000]", meaning="how many runs these have together")
    crowd: int = param(
        4,
        r"k",
        domain="[1, 1000]",
        meaning="how many times that much those have who come from one address without a cookie, perhaps a class",
    )
    address_jobs: int = param(
        120,
        r"n_{\mathrm{address}}",
        domain="[1, 10000]",
        meaning="how many runs, races and sweeps come from one address at once, whatever the browsers there call themselves",
    )
    sweep: float = param(
        3600.0,
        r"t_{\mathrm{sweep}}",
        domain="(0, 1e6] s",
        meaning="how long a sweep may take by its price; a longer one is not begun",
    )
    history: int = param(
        24_000_000,
        r"n_{\mathrm{bytes}}",
        domain="[1, 1e10] bytes",
        meaning="how much a run keeps of its frames; beyond it they are thinned, all but the first and the last",
    )
    deaths: int = param(
        3,
        r"n_{\mathrm{deaths}}",
        domain="[1, 100]",
        meaning="how many workers in a row may die over one slice before the run is called failed",
    )
