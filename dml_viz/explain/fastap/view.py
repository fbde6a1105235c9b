"""All that the FastAP page shows of one model: its figures, ready for the browser, and the numbers in its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.explain.fastap.facts import facts
from dml_viz.explain.fastap.figures.against_bins import against_bins_figure
from dml_viz.explain.fastap.figures.arrows import arrows_figure
from dml_viz.explain.fastap.figures.batch import batch_histogram_figure, queries_figure
from dml_viz.explain.fastap.figures.pipeline import Bins, Points, pipeline_figure
from dml_viz.explain.fastap.figures.precision_recall import precision_recall_figure
from dml_viz.explain.fastap.model import Model
from dml_viz.explain.fastap.model_query import Anatomy, against_bins
from dml_viz.plot.projection import flatten

COUNTS = np.unique(np.round(np.geomspace(4, 1000, 70)).astype(int))
TERMS = 3  # of a sum that are written out


@dataclass(frozen=True)
class Settings:
    """What a view depends on besides its model: names of points (N,) and classes, whose arrows, the theme and a plane (d, 2)."""

    who: Sequence[str]
    names: Sequence[str]
    of_query: bool
    theme: str
    plane: np.ndarray | None = None


@dataclass(frozen=True)
class View:
    """The figures by name, the formula in this query's numbers (LaTeX), the table of facts (Markdown), and numbers."""

    pipeline: Encoded
    precision_recall: Encoded
    arrows: Encoded
    against_bins: Encoded
    batch: Encoded
    queries: Encoded
    in_numbers: str
    facts: str
    beside: float
    positive_pairs: int


@kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))
def view(model: Model, settings: Settings) -> View:
    """The view of ``model``."""
    one, binning, theme, who = model.one, model.settings.binning, settings.theme, settings.who
    fastap, exact = one.value, one.average_precision
    points = Points(one.gallery, one.d2, one.relevant, [who[k] for k in one.gallery.tolist()], one.slope)
    bins = Bins(
        binning.centres, one.plus, one.minus, one.cum_plus, one.cum, one.precision, one.per_positive, one.per_negative
    )
    flat = flatten(
        model.z, model.of_query if settings.of_query else model.of_batch, model.settings.query, settings.plane
    )
    soft, hard = (against_bins(one.d2, one.relevant, COUNTS, hard=hard) for hard in (False, True))
    plus, minus = model.batch.plus.sum(0), model.batch.minus.sum(0)
    scores = {"fastap": fastap, "average_precision": exact}
    return View(
        pipeline=Encoded.of(pipeline_figure(points, bins, one.exact[::2], hard=binning.hard, theme=theme, **scores)),
        precision_recall=Encoded.of(
            precision_recall_figure(one.exact[1:], (one.recall, one.precision), theme=theme, **scores)
        ),
        arrows=Encoded.of(
            arrows_figure(
                flat,
                model.y,
                model.settings.query,
                of_query=settings.of_query,
                who=who,
                names=settings.names,
                theme=theme,
            )
        ),
        against_bins=Encoded.of(
            against_bins_figure(COUNTS, soft, hard, now=(binning.bins, fastap), average_precision=exact, theme=theme)
        ),
        batch=Encoded.of(batch_histogram_figure(binning.centres, plus, minus, theme=theme)),
        queries=Encoded.of(
            queries_figure(model.batch.fastap, model.average_precision, model.settings.query, theme=theme)
        ),
        in_numbers=_in_numbers(one, model.settings.query),
        facts=facts(model),
        beside=abs(float(soft[-1]) - exact),
        positive_pairs=len(model.positive_pairs),
    )


def _in_numbers(one: Anatomy, query: int) -> str:
    """The sum of the formula for this query, its first terms and its value written out."""
    if not one.positives:
        return rf"N^+_{{{query}}}=0:\quad \mathrm{{FastAP}}_{{{query}}}\ \text{{is undefined}}"
    at = np.flatnonzero(one.plus > 0)
    terms = [rf"{one.plus[j]:.2f}\cdot\tfrac{{{one.cum_plus[j]:.2f}}}{{{one.cum[j]:.2f}}}" for j in at[:TERMS]]
    rest = r"+\cdots" if len(at) > TERMS else ""
    return rf"\mathrm{{FastAP}}_{{{query}}}=\tfrac{{1}}{{{one.positives}}}\big({'+'.join(terms)}{rest}\big)={one.value:.3f}"
