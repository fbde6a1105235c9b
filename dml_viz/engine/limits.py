"""The limits of one server (seconds of a slice; runs, seconds and bytes that are kept), and the visitors that they are for."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dml_viz.params import Declared, param


@dataclass(frozen=True)
class Limits(Declared):
    """The caps of an engine; ValueError for a value outside its domain."""

    slice: float = param(0.08, "how long a worker trains one run before it turns to the next", domain="(0, 1] s")
    slice_alone: float = param(
        0.25, "how long it trains a run towards its next frame while no other call waits", domain="(0, 1] s"
    )
    unwatched: float = param(5.0, "how long a run that no one watches trains on before it falls asleep", domain="(0, 3600] s")
    released: float = param(
        60.0,
        "how long a run whose session has closed is kept, asleep, in case that it was only a network blip",
        domain="[0, 3600] s",
    )
    forgotten: float = param(1800.0, "how long a run that no one watches is kept at all", domain="(0, 1e6] s")
    seconds: float = param(600.0, "how long a run may train in all", domain="(0, 1e6] s")
    deadline: float = param(60.0, "how long a worker may take over one call before another takes its place", domain="(0, 3600] s")
    runs: int = param(200, "how many runs, races and sweeps are kept at once", domain="[1, 10000]")
    visitor_jobs: int = param(12, "how many runs, races and sweeps a visitor has at once", domain="[1, 10000]")
    visitor_runs: int = param(720, "how many runs these have together", domain="[1, 1000000]")
    crowd: int = param(
        4, "how many times that much those have who come from one address without a cookie, perhaps a class", domain="[1, 1000]"
    )
    address_jobs: int = param(
        120,
        "how many runs, races and sweeps come from one address at once, whatever the browsers there call themselves",
        domain="[1, 10000]",
    )
    sweep: float = param(3600.0, "how long a sweep may take by its price; a longer one is not begun", domain="(0, 1e6] s")
    history: int = param(
        24_000_000,
        "how much a run keeps of its frames; beyond it they are thinned, all but the first and the last",
        domain="[1, 1e10] bytes",
    )
    deaths: int = param(3, "how many workers in a row may die over one slice before the run is called failed", domain="[1, 100]")


@dataclass(frozen=True)
class Visitor:
    """A browser with all its tabs; or a ``crowd``, all browsers of one address that cannot be distinguished."""

    name: str
    crowd: bool = False
    address: str = field(default="", compare=False)  # the network address; "" if it is unknown


def refusal(limits: Limits, visitor: Visitor, runs: int, jobs: Sequence[tuple[Visitor, int]]) -> str:
    """The reason why the visitor may not train ``runs`` more runs, and until when; empty if that is allowed.

    ``jobs`` are all live ones, each with its visitor and its number of runs.
    """
    times = limits.crowd if visitor.crowd else 1
    runs_of_visitor = [trained for whose, trained in jobs if whose == visitor]
    near = sum(whose.address == visitor.address for whose, _ in jobs if visitor.address)
    who, may = ("your network has", "it") if visitor.crowd else ("you have", "one visitor")
    free = "Close a tab that trains: its place is free at once"
    if len(runs_of_visitor) >= limits.visitor_jobs * times:
        return f"{who.capitalize()} {len(runs_of_visitor)} runs and races, as many as {may} may have at once. {free}"
    if sum(runs_of_visitor) + runs > limits.visitor_runs * times:
        return (
            f"{runs:,} runs are too many beside the {sum(runs_of_visitor):,} that {who}: {may} may have "
            f"{limits.visitor_runs * times:,} at once. Ask for fewer. {free}"
        )
    if near >= limits.address_jobs:
        return f"{near} runs and races come from your network address, as many as may from one at once. {free}"
    if len(jobs) >= limits.runs:
        return (
            f"This server trains {len(jobs)} runs and races, as many as it keeps. The next place is free when a visitor closes "
            f"a tab that trains, or has not looked at one for {limits.forgotten / 60:.0f} minutes"
        )
    return ""
