"""FastAP's B bins are B intervals between B + 1 centres, equal in squared distance and so unequal in distance."""

from __future__ import annotations

from dataclasses import dataclass

from dml_viz.embedding.soft_bins import Binning
from dml_viz.losses import Pairs
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example


@dataclass(frozen=True)
class FastAPBins(Erratum):
    """What is counted by the number of bins, and how much distance the first and the last one cover."""

    title = "FastAP's bins: what is counted, and where they are"
    losses = ("fastap",)
    circulates = "“num_bins” is read as the number of histogram bins, and the bins as equal slices of distance."
    text = (
        "{bins:.0f} bins are {bins:.0f} intervals between {centres:.0f} centres; the slider counts intervals. They are "
        "equal in squared distance: the first covers the distances below {first:.3f}, the last one only the last "
        "{last:.3f}, so the resolution sits at large distances. Of the pairs of a batch without any order, "
        "{in_first:.1%} fall into the first."
    )

    def measure(self) -> dict[str, float]:
        binning = Binning(FastAP().bins)
        edges = binning.centres**0.5
        z, y = example(64, 8, 8)
        d = Pairs(z, y).d[~(y.new_ones(64, 64).tril() == 1)]
        return {
            "bins": binning.bins, "centres": len(binning.centres), "first": float(edges[1]),
            "last": float(edges[-1] - edges[-2]),
            "in_first": float((d < edges[1]).double().mean()),
        }  # fmt: skip
