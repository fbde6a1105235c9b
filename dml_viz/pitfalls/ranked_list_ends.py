"""What Ranked List holds constant decides its gradient, not its value."""

from __future__ import annotations

from dataclasses import dataclass

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.losses.ranked_list import RankedList
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example


@dataclass(frozen=True)
class RankedListEnds(Erratum):
    """Gradients at both ends, and of the weights too, beside the one at the query alone."""

    title = "Ranked List: what is held constant"
    losses = ("ranked_list",)
    circulates = (
        "The notes call everything but the query “constant”, as the authors do, without saying that it matters; "
        "pytorch-metric-learning leaves all of it to autograd."
    )
    text = (
        "The value is {value:.3f} each time, the gradient is not. Moving both ends of a pair makes it {ends_times:.2f} "
        "times as long, with a cosine of {ends_cosine:.3f} to the authors'; moving the weights as well, as "
        "pytorch-metric-learning does, {all_times:.2f} times, with a cosine of {all_cosine:.3f}. The default here is "
        "the authors'; a switch selects the others."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(32, 8, 8)
        query = RankedList(differentiated="query only").gradients(z, y)
        ends, everything = (
            RankedList(differentiated=which).gradient(z, y) for which in ("both ends", "both ends and weights")
        )
        ends_times, ends_cosine = ratio_and_cosine(ends, query.z)
        all_times, all_cosine = ratio_and_cosine(everything, query.z)
        return {
            "value": float(query.value), "ends_times": ends_times, "ends_cosine": ends_cosine,
            "all_times": all_times, "all_cosine": all_cosine,
        }  # fmt: skip
