"""All that the Ranked List page shows of one model: its figures, ready for the browser, and the formula in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.explain.ranked_list.figures import FIGURES
from dml_viz.explain.ranked_list.model import Model
from dml_viz.plot.display import Display

TERMS = 2  # of a sum that are written out


@dataclass(frozen=True)
class View:
    """The figures by name, and the formula in this query's numbers (LaTeX)."""

    figures: Mapping[str, Encoded]
    in_numbers: str


@kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))
def view(model: Model, display: Display) -> View:
    """The view of ``model``."""
    figures = {name: Encoded.of(figure(model, display)) for name, figure in FIGURES.items()}
    return View(figures, _in_numbers(model))


def _in_numbers(model: Model) -> str:
    """The query's own term with its numbers put in, and the mean of all."""
    one, loss, i = model.one, model.settings.loss, model.settings.query
    few, bound = int(one.too_far.sum()), loss.alpha - loss.margin
    pulls = [rf"({_signed(d, bound)})" for d in one.d[one.too_far][::-1][:TERMS].tolist()]
    pushed = zip(one.share[one.too_near].tolist(), one.d[one.too_near].tolist(), strict=True)
    pushes = [rf"{share:.3f}\,({loss.alpha:g}-{d:.3f})" for share, d in list(pushed)[:TERMS]]
    pull = rf"\tfrac1{{{few}}}\big[{_sum(pulls, few)}\big]" if few else "0"
    push = rf"{loss.lam:g}\,\big[{_sum(pushes, int(one.too_near.sum()))}\big]" if pushes else "0"
    term = float(model.pull[i] + loss.lam * model.push[i])
    return rf"L_{{{i}}}={pull}+{push}={term:.3f},\qquad L=\tfrac1{{{len(model.y)}}}\sum_i L_i={model.value:.3f}"


def _signed(d: float, bound: float) -> str:
    return f"{d:.3f}{'-' if bound >= 0 else '+'}{abs(bound):.3g}"


def _sum(terms: Sequence[str], count: int) -> str:
    return "+".join(terms) + (r"+\cdots" if count > len(terms) else "")
