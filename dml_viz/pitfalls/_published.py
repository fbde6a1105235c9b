"""Retrieval of papers of CVPR 2019 on metric learning in percent, as a survey gathers it (assets/published).

Not every number is sure to be what its column says, as DSML's second shows.
"""

import csv
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from dml_viz.assets import ASSETS


class RecallColumns(NamedTuple):
    """R@1, and the number in the column of R@2."""

    first: float
    second: float


class Paper(NamedTuple):
    """A paper's number in the survey, its short name and title, its idea in a sentence, and the page that shows it, or ""."""

    number: int
    name: str
    title: str
    idea: str
    page: str


def rows(name: str) -> list[dict[str, str]]:
    """The rows of the table ``name`` of assets/published."""
    with (ASSETS / "published" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _results() -> Mapping[str, Mapping[str, Mapping[int, float]]]:
    results: dict[str, dict[str, dict[int, float]]] = {}
    for row in rows("cvpr2019_results"):
        method = row["method"].removesuffix(" (N-pair)")
        results.setdefault(row["dataset"], {}).setdefault(method, {})[int(row["metric"][2:])] = float(row["value_percent"])
    return MappingProxyType(results)


PAPERS = tuple(
    Paper(int(row["paper_no"]), row["short_name"], row["title"], ours["idea"], ours["page"])
    for row, ours in zip(rows("cvpr2019_papers"), rows("cvpr2019_ideas"), strict=True)
)
RESULTS = _results()
"""Data set -> method -> k -> R@k."""


def recalls(dataset: str) -> Mapping[str, RecallColumns]:
    """R@1 and the number in the next column of every method on ``dataset``."""
    return {method: RecallColumns(*list(values.values())[:2]) for method, values in RESULTS[dataset].items()}


CUB, CARS = recalls("CUB-200-2011"), recalls("CARS196")
