"""The sentences and numbers of the FastAP page that depend on its settings and its points."""

import math

import numpy as np

from dml_viz.embedding.sphere import LARGEST_D2, ratio_and_cosine
from dml_viz.explain.fastap.model import Model, Settings
from dml_viz.explain.fastap.model_bins import Binning, batch_arrows, histograms_of_batch, is_outside_bins
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._circulating import circulating_gradient
from dml_viz.plot.canvas import number, score
from dml_viz.room.words import FirstFigure, Formulas

SUM_ENDS = r",\quad "  # of the soft histogram, the formula's first part
TERMS = 3  # terms of a sum that are written out
COMPARED = 40  # points at most on which the published backward is run


def why_no_arrows(settings: Settings) -> str:
    """Why no arrow is drawn while points are dragged; empty where the arrows are."""
    if settings.binning.hard:
        return "Hard bins: no move within a bin counts, so there is no arrow."
    whole = settings.binning == Binning(settings.binning.bins)
    return "" if whole else "Centres that end at 2: the arrows are in the figure below."


def binning_in_words(settings: Settings) -> tuple[str, ...]:
    """What is otherwise in the histograms than in the loss's soft bins on squared distances from 0 to 4."""
    if settings.binning.hard:
        return ("hard bins",)
    top = settings.binning.top
    return (f"bins that end at squared distance {top:g}",) if top < LARGEST_D2 else ()


def arrows_look_for(model: Model) -> str:
    """What to look for among the arrows: which points have none."""
    if model.settings.binning.hard:
        return "arrows: there are none, as no small move changes the bin that a point is in."
    if model.settings.of_query:
        return "negatives without an arrow, even between positives: their bin holds no positive."
    return "points without an arrow: they have no slope in any query's ranking, and their own ranking has none."


def bins_look_for(model: Model) -> str:
    """What to look for in the curve against the number of bins."""
    begins = "where the curve touches 1, if it does: it may fall again, as the teeth go on."
    gap, bins = model.ranking.gap_between_classes, model.ranking.bins_for_perfect_fastap
    if math.isnan(gap):
        return begins
    if math.isfinite(bins):
        return f"{begins} This query is done for certain from {bins:,} bins on: then two fit into its gap of {number(gap)}."
    why = "The farthest positive lies beyond the last bin" if gap > 0 else "This ranking is not perfect"
    return f"{begins} {why}, so no number of bins ends it."


def pipeline_title(model: Model) -> str:
    """The title of the rows over squared distance."""
    ending = "hard ones have no gradient" if model.settings.binning.hard else "histograms have a gradient"
    return f"A ranking becomes histograms, and {ending}"


def pipeline_look_for(model: Model) -> str:
    """What to look for in the rows over squared distance."""
    hover = "Hover a bin to see its value in every row."
    if model.settings.binning.hard:
        return f"row 7: every slope is 0, within a bin and so almost everywhere. {hover}"
    return (
        f"bins that hold both colours: only there does a negative have a slope in row 7. {hover} Once every negative is beyond "
        "the two shaded bins, all slopes are 0."
    )


def pipeline_misleads(model: Model) -> str:
    """How the rows over squared distance mislead."""
    binning = model.settings.binning
    return (
        f"bins are equal in d², not in distance. The first of these {binning.bins} reaches to d = "
        f"{binning.width**0.5:.3f}, the last covers {binning.top**0.5 - (binning.top - binning.width) ** 0.5:.3f} of d. "
        "The lines join values that exist only at the centres."
    )


def bins_title(model: Model) -> str:
    """The claim on the number of bins."""
    few = "Fewer bins need a wider margin"
    if outside := model.ranking.positives_beyond_bins:
        return f"{few}; no number of bins reaches the {outside} of {model.ranking.positives} positives beyond the last one"
    return f"{few}; many bins come close to exact AP"


def precision_lost(model: Model) -> str:
    """What to look for between the exact and the binned precision of the query."""
    ranking, outside = model.ranking, model.ranking.positives_beyond_bins
    lost = "the grey between the steps: precision lost because a positive shares its bin with negatives"
    if not outside:
        return f"{lost}."
    return f"{lost}, and what is missing at the right: {outside} of {ranking.positives} positives lie beyond the last bin."


def moving_query_misleads(model: Model) -> str:
    """How the scores of a query that goes round mislead."""
    through = "the positives" if model.ranking.positives else "its first neighbour"
    way = f" A sphere in {model.dim} dimensions has many ways round; this one is through {through}." if model.dim > 2 else ""
    return f"one query is not the loss: when it moves, the rankings of all others change, too. No curve shows those.{way}"


def batch_misleads(model: Model) -> str:
    """How the histograms over the batch mislead."""
    size = len(model.y)
    return (
        f"each colour shows shares of its own total, though only {len(model.positive_d2):,} of "
        f"{size * (size - 1):,} ordered pairs are positive. The sum hides the overlap of each query."
    )


def formula(model: Model) -> str:
    """The loss (LaTeX), with its histogram soft or hard as it is drawn."""
    if not model.settings.binning.hard:
        return FastAP.formula
    return rf"h_j = \#\{{k: |d_{{ik}}^2-z_j|\le\tfrac{{\Delta}}{{2}}\}},\quad {FastAP.formula.partition(SUM_ENDS)[2]}"


def formula_in_numbers(model: Model) -> str:
    """The formula's sum for the query (LaTeX), with its first terms and its value."""
    ranking, query = model.ranking, model.settings.query
    if not ranking.positives:
        return rf"N^+_{{{query}}}=0:\quad \mathrm{{FastAP}}_{{{query}}}\ \text{{is undefined}}"
    at = np.flatnonzero(ranking.plus > 0)
    terms = [rf"{ranking.plus[j]:.2f}\cdot\tfrac{{{ranking.cum_plus[j]:.2f}}}{{{ranking.cum[j]:.2f}}}" for j in at[:TERMS]]
    rest = r"+\cdots" if len(at) > TERMS else ""
    return (
        rf"\mathrm{{FastAP}}_{{{query}}}=\tfrac{{1}}{{{ranking.positives}}}\big({'+'.join(terms)}{rest}\big)={ranking.fastap:.3f}"
    )


def derivation(model: Model) -> list[str]:
    """Lines of LaTeX from average precision over ranks to FastAP over bins, each with the query's numbers."""
    ranking = model.ranking
    if not ranking.positives:
        return [formula_in_numbers(model)]
    gallery = len(ranking.d2)
    prior = rf"P(R^+)=\tfrac{{{ranking.positives}}}{{{gallery}}}={ranking.positives / gallery:.3f}"
    # The bin by which half of the positives are retrieved.
    j = min(int(np.searchsorted(ranking.cum_plus, ranking.positives / 2)), ranking.binning.bins)
    z, recall, of_all = ranking.binning.centres[j], ranking.recall[j], ranking.cum[j] / gallery
    return [
        rf"\mathrm{{AP}}=\sum_k\mathrm{{Prec}}(k)\,\big(\mathrm{{Rec}}(k)-\mathrm{{Rec}}(k-1)\big)="
        rf"{ranking.average_precision:.3f}"
        r"\ \longrightarrow\ \int_0^1\mathrm{Prec}\,d\mathrm{Rec}",
        rf"\mathrm{{Rec}}(z)=F(z\mid R^+),\quad \mathrm{{Prec}}(z)=\frac{{F(z\mid R^+)\,P(R^+)}}{{F(z)}},\quad {prior}",
        rf"z={z:.2f}:\quad \mathrm{{Prec}}=\frac{{{recall:.3f}\cdot {ranking.positives / gallery:.3f}}}{{{of_all:.3f}}}"
        rf"={score(ranking.precision[j])}\vphantom{{\sum_k^k}}",
        r"\int\frac{F(z\mid R^+)P(R^+)}{F(z)}\,dF(z\mid R^+)\ \approx\ \sum_j\frac{H^+_j}{H_j}\cdot\frac{h^+_j}{N^+}"
        rf"=\mathrm{{FastAP}}={ranking.fastap:.3f}",
    ]


def pitfall_sentences(model: Model) -> dict[str, str]:
    """Sentences on the page's points, by the name of the pitfall that they illustrate."""
    bins = model.settings.binning.bins
    whole = histograms_of_batch(model.d2, model.y, Binning(bins))
    # Equal bins of distances on [0, 2] are equal bins of the doubled distances on [0, 4].
    plain = histograms_of_batch(2 * np.sqrt(model.d2), model.y, Binning(bins))
    lost = is_outside_bins(model.positive_d2, Binning(bins, top=LARGEST_D2 / 2))
    soft = "" if model.settings.binning == Binning(bins) else "with soft bins up to d² = 4, "
    return {
        "fastap.backward": _backward(model, Binning(bins)),
        "fastap.bin_widths": f"{bins} bins have {bins + 1} centres; the first covers d from 0 to {math.sqrt(4 / bins):.3f}, the "
        f"last only {2 - math.sqrt(4 - 4 / bins):.3f} of d",
        "fastap.bin_range": f"d on [0, 2] gives the loss {plain.loss:.3f}, d² on [0, 4] {whole.loss:.3f}; d² on [0, 2] would "
        f"leave **{lost.mean() if len(lost) else 0:.0%}** of the positive pairs outside every bin",
        "fastap.average_precision": f"{soft}1 − loss = {1 - whole.loss:.3f}, mAP = {np.nanmean(model.average_precision):.3f}"
        if whole.queries
        else "no query has a positive, so there is no mAP",
    }


def _backward(model: Model, soft: Binning) -> str:
    few = slice(None, None, -(-len(model.y) // COMPARED))
    z, y, d2 = model.z[few], model.y[few], model.d2[few, few]
    times, cosine = ratio_and_cosine(circulating_gradient(z, d2, y, soft.bins), -batch_arrows(z, d2, y, soft))
    if math.isnan(times):
        return "its gradient is 0, and so is the true one"
    queries = histograms_of_batch(d2, y, soft).queries
    return (
        f"its gradient is **{times:.3f}** times the true one, cosine {cosine:.6f}; M/2 = {queries / 2:g} for M = {queries} "
        f"queries (on {len(y)} of the {len(model.y)} points)"
    )


FIRST = FirstFigure(
    "Each point follows the bins it is in",
    arrows_look_for,
    "the longest arrow always has the same length, so a finished run looks as busy as a new one. Arrows show the gradient along "
    "the circle; what is left of it would change lengths, which are set to 1 again.",
    (
        Formulas(
            lambda model, _: [formula(model), formula_in_numbers(model)],
            "The second line is FastAP of the query alone. The loss of the batch is 1 less the mean over all queries. "
            "Each ranks the whole batch: split over machines it loses gradient, and [in chunks](batches) it loses none.",
        ),
    ),
    lambda model, display: f"the query is {display.who[model.settings.query]}.",
)
