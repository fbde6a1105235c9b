"""Common claims about losses, checked: what is wrong or open; one file per loss, found by the folder.

What the files share is in those whose names begin with ``_``.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from dml_viz.pitfalls._base import Pitfall
from dml_viz.pitfalls._published import PAPERS, RESULTS, Paper
from dml_viz.registry import modules

PITFALLS: dict[str, Pitfall] = {
    thing.name: thing for module in modules(__name__) for thing in vars(module).values() if isinstance(thing, Pitfall)
}

__all__ = ["PAPERS", "PITFALLS", "RESULTS", "Paper", "Pitfall", "about", "how_table_misleads", "table"]


def about(losses: Collection[str]) -> list[Pitfall]:
    """Return the pitfalls of any of ``losses``, which are file names."""
    return [pitfall for pitfall in PITFALLS.values() if set(losses) & set(pitfall.losses)]


def table(losses: Collection[str], on_these_points: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the pitfalls of ``losses`` as a table in Markdown; ``on_these_points`` are a page's sentences, by pitfall."""
    rows = (
        f"| **{pitfall.title}.** {pitfall.claim} | "
        f"{pitfall.answer}{f' **On these points** {on_these_points[pitfall.name]}.' if pitfall.name in on_these_points else ''} |"
        for pitfall in about(losses)
    )
    return "\n".join(["| Claim | Checked |", "|---|---|", *rows])


def how_table_misleads(losses: Collection[str]) -> str:
    """Return how the table of ``losses`` misleads, in sentences."""
    start = "the numbers are of small fixed examples; a sentence on these points is of the points above."
    return " ".join(dict.fromkeys([start, *(pitfall.misleads for pitfall in about(losses) if pitfall.misleads)]))
