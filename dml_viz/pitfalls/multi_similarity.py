"""A pitfall of multi-similarity: losses are ranked by the recall of papers that differ in more than their loss."""

from __future__ import annotations

from dml_viz.pitfalls._base import pitfall
from dml_viz.pitfalls._published import CUB


@pitfall(
    "A rank of papers is no rank of losses",
    claim="A survey's table puts SCHE before multi-similarity, whose code it calls not yet out. The survey says itself that the "
    "conditions differ and that such results cannot decide.",
    text="The code is out by now, and the survey is right to warn. SCHE leads with {other_first:.1f} to {own_first:.1f} by R@1 "
    "on CUB and follows with {other_second:.1f} to {own_second:.1f} by the recall at two; and it differs in more "
    "than its loss: images of {larger:.0f} pixels and second-order pooling.",
    misleads="Papers of one year report on other nets, sizes and dimensions; none of these is the same for all here.",
)
def published_ranks() -> dict[str, float]:
    """Both recalls of the two methods on CUB, and the size of SCHE's images in pixels."""
    own, other = CUB["MS"], CUB["SCHE"]
    return {
        "own_first": own.first, "other_first": other.first, "own_second": own.second, "other_second": other.second,
        "larger": 336.0,
    }  # fmt: skip
