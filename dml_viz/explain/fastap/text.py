"""The sentences and numbers of the FastAP page that depend on its settings and its points."""

from __future__ import annotations

import numpy as np

from dml_viz.explain.fastap.model import Model, Settings
from dml_viz.plot.display import Display

TERMS = 3  # of a sum that are written out


def instead(settings: Settings) -> str:
    """Why no arrow is drawn while points are dragged; empty where the arrows are."""
    if settings.binning.hard:
        return "Hard bins: no move within a bin counts, so there is no arrow."
    return "" if settings.binning == settings.whole else "Centres that end at 2: the arrows are in the figure below."


def roles(model: Model, display: Display) -> str:
    """Who the query is."""
    return f"the query is {display.who[model.settings.query]}."


def pipeline_misleads(model: Model) -> str:
    """How the rows over squared distance mislead."""
    binning = model.settings.binning
    return (
        f"bins are equal in d², not in distance: the first of these {binning.bins} reaches to d = "
        f"{binning.width**0.5:.3f}, the last covers {binning.top**0.5 - (binning.top - binning.width) ** 0.5:.3f} of d. "
        "The lines join values that exist only at the centres."
    )


def bins_mislead(model: Model) -> str:
    """How the curve over the number of bins misleads."""
    gap = abs(float(model.against_bins[0, -1]) - model.one.average_precision)
    how_near = f"{gap:.3f} beside" if model.one.positives else "beside"
    return (
        "it is one query's curve, and its teeth are chance: where centres fall among points. Soft bins end "
        f"{how_near} exact AP, not at it, since a positive is split over two bins and "
        "its first part is ranked without the rest; hard bins do reach it, without a gradient."
    )


def batch_misleads(model: Model) -> str:
    """How the histograms over the batch mislead."""
    size = len(model.y)
    return (
        f"each colour shows shares of its own total, though only {len(model.positive_pairs):,} of "
        f"{size * (size - 1):,} pairs are positive; and every query has an overlap of its own, which the sum hides."
    )


def in_numbers(model: Model) -> str:
    """The sum of the formula for the query (LaTeX), its first terms and its value written out."""
    one, query = model.one, model.settings.query
    if not one.positives:
        return rf"N^+_{{{query}}}=0:\quad \mathrm{{FastAP}}_{{{query}}}\ \text{{is undefined}}"
    at = np.flatnonzero(one.plus > 0)
    terms = [rf"{one.plus[j]:.2f}\cdot\tfrac{{{one.cum_plus[j]:.2f}}}{{{one.cum[j]:.2f}}}" for j in at[:TERMS]]
    rest = r"+\cdots" if len(at) > TERMS else ""
    return rf"\mathrm{{FastAP}}_{{{query}}}=\tfrac{{1}}{{{one.positives}}}\big({'+'.join(terms)}{rest}\big)={one.value:.3f}"
