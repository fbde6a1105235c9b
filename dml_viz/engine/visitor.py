"""The visitors of a server, and the limits of each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dml_viz.engine.limits import Limits


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
    free = "Close a tab that trains: its place is free at once"
    if len(runs_of_visitor) >= limits.visitor_jobs * times:
        who, may = ("Your network has", "it") if visitor.crowd else ("You have", "one visitor")
        return f"{who} {len(runs_of_visitor)} runs and races, as many as {may} may have at once. {free}"
    if sum(runs_of_visitor) + runs > limits.visitor_runs * times:
        who, may = ("your network has", "it") if visitor.crowd else ("you have", "one visitor")
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
