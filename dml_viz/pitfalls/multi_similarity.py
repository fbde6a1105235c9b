"""Losses are ranked by the recall of papers that differ in more than their loss."""

from __future__ import annotations

from dataclasses import dataclass

from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._published import CUB

OURS, OTHER = "MS", "SCHE"
LARGER = 336.0  # pixels of SCHE's images


@dataclass(frozen=True)
class PublishedRanks(Erratum):
    """Who comes first on CUB, by one recall and by the next."""

    title = "A rank of papers is no rank of losses"
    losses = ("multi_similarity",)
    circulates = "A table of published results puts SCHE before multi-similarity and says that the code of the latter is not out."
    text = (
        "The code is out by now, and the table ranks no losses. SCHE leads with {other_first:.1f} to {ours_first:.1f} by R@1 "
        "on CUB and follows with {other_second:.1f} to {ours_second:.1f} by the recall at two; and it differs in more "
        "than its loss: images of {larger:.0f} pixels and second-order pooling."
    )
    misled = "Papers of one year report on other nets, sizes and dimensions; none of these is held equal here."

    def measure(self) -> dict[str, float]:
        ours, other = CUB[OURS], CUB[OTHER]
        return {
            "ours_first": ours.first, "other_first": other.first, "ours_second": ours.second, "other_second": other.second,
            "larger": LARGER,
        }  # fmt: skip
