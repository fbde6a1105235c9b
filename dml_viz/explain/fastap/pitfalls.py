"""What the pitfalls of FastAP come to on the points of the page, with its number of bins, soft and over the whole range."""

from __future__ import annotations

import math

import numpy as np

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.fastap_batch import batch, descent
from dml_viz.embedding.soft_bins import LARGEST, Binning, outside
from dml_viz.explain.fastap.model import Model
from dml_viz.pitfalls.fastap import circulating_gradient

COMPARED = 40  # points at most on which the backward in circulation is run


def here(model: Model) -> dict[str, str]:
    """Sentences on the page's points by the name of the pitfall."""
    bins = model.settings.binning.bins
    soft = Binning(bins)
    whole = model.batch if model.settings.binning == soft else batch(model.d2, model.y, soft)
    # Distances on [0, 2] in equal bins are twice those distances on [0, 4].
    plain = batch(2 * np.sqrt(model.d2), model.y, soft)
    lost = outside(model.positive_pairs, Binning(bins, top=LARGEST / 2))
    return {
        "fastap.backward": _backward(model, soft),
        "fastap.bins": f"{bins} bins have {bins + 1} centres; the first covers d from 0 to {math.sqrt(4 / bins):.3f}, the last "
        f"only {2 - math.sqrt(4 - 4 / bins):.3f} of d",
        "fastap.bin_range": f"d on [0, 2] gives the loss {plain.loss:.3f}, d² on [0, 4] {whole.loss:.3f}; d² on [0, 2] would "
        f"leave **{lost.mean() if len(lost) else 0:.0%}** of the positive pairs outside every bin",
        "fastap.average_precision": f"1 − loss = {1 - whole.loss:.3f}, mAP = {np.nanmean(model.average_precision):.3f}"
        if whole.queries
        else "no query has a positive, so there is no mAP",
    }


def _backward(model: Model, soft: Binning) -> str:
    few = slice(None, None, -(-len(model.y) // COMPARED))
    z, y, d2 = model.z[few], model.y[few], model.d2[few, few]
    times, cosine = ratio_and_cosine(circulating_gradient(z, d2, y, soft.bins), -descent(z, d2, y, soft))
    if math.isnan(times):
        return "its gradient is 0, and so is the true one"
    queries = batch(d2, y, soft).queries
    some = f" (on {len(y)} of the {len(model.y)} points)" if len(y) < len(model.y) else ""
    return (
        f"its gradient is **{times:.3f}** times the true one, cosine {cosine:.6f}; M/2 = {queries / 2:g} for M = {queries} "
        f"queries{some}"
    )
