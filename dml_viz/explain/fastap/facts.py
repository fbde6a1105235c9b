"""What notes and code in circulation say of FastAP, each beside what the points at hand give."""

from __future__ import annotations

import math

import numpy as np

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.fastap_batch import Batch, batch, descent
from dml_viz.embedding.soft_bins import LARGEST, Binning, outside
from dml_viz.explain.fastap.model import Model
from dml_viz.pitfalls._circulating_fastap import circulating_gradient

COMPARED = 40  # points at most on which the backward in circulation is run


def facts(model: Model) -> str:
    """The table, in Markdown, for the points and the number of bins of ``model``, soft and over the whole range."""
    bins, soft = model.settings.binning.bins, Binning(model.settings.binning.bins)
    whole = model.batch if model.settings.binning == soft else batch(model.d2, model.y, soft)
    # Distances on [0, 2] in equal bins are twice those distances on [0, 4].
    plain = batch(2 * np.sqrt(model.d2), model.y, soft)
    lost = outside(model.positive_pairs, Binning(bins, top=LARGEST / 2))
    rows = (
        ("a hand-written backward, in notes and in the official repository", _backward(model, soft)),
        (f"“{bins} bins”", f"{bins} intervals between {bins + 1} centres; the slider counts the intervals"),
        (
            "equal bins",
            f"equal in d²: the first covers d from 0 to {math.sqrt(4 / bins):.3f}, the last only "
            f"{2 - math.sqrt(4 - 4 / bins):.3f} of d",
        ),
        (
            "[0, 2] or [0, 4]",
            f"d on [0, 2]: loss {plain.loss:.3f}; d² on [0, 4]: loss {whole.loss:.3f}; both are sound. d² on [0, 2] would leave "
            f"**{lost.mean() if len(lost) else 0:.0%}** of the positive pairs outside every bin, without a gradient",
        ),
        ("1 − loss is mAP", _scores(model, whole)),
    )
    return "| In circulation | Here |\n|---|---|\n" + "\n".join(f"| {said} | {here} |" for said, here in rows)


def _backward(model: Model, soft: Binning) -> str:
    few = slice(None, None, -(-len(model.y) // COMPARED))
    z, y, d2 = model.z[few], model.y[few], model.d2[few, few]
    times, cosine = ratio_and_cosine(circulating_gradient(z, d2, y, soft.bins), -descent(z, d2, y, soft))
    if math.isnan(times):
        return "its gradient is 0 here, and so is the true one"
    queries = batch(d2, y, soft).queries
    some = f" (on {len(y)} of the {len(model.y)} points)" if len(y) < len(model.y) else ""
    return (
        f"its gradient is **{times:.3f}** times the true one, cosine {cosine:.6f}; M/2 = {queries / 2:g} for M = {queries} "
        f"queries{some}. The direction is right; Adam hides the factor, SGD and clipping do not"
    )


def _scores(model: Model, whole: Batch) -> str:
    if not whole.queries:
        return "no query has a positive, so there is no mAP"
    return f"1 − loss = {1 - whole.loss:.3f}, mAP = {np.nanmean(model.average_precision):.3f}"
