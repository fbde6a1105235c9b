"""All that the page of pairs shows of one model: its figures, ready for the browser, and the numbers in its formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.explain.pairs.figures import FIGURES
from dml_viz.explain.pairs.model import Model
from dml_viz.explain.pairs.numbers import in_numbers, remark
from dml_viz.plot.display import Display


@dataclass(frozen=True)
class View:
    """The figures by name, in LaTeX this triplet's numbers and those of the loss, and a remark on them, perhaps ""."""

    figures: Mapping[str, Encoded]
    in_numbers: tuple[str, str]
    remark: str


@kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))
def view(model: Model, display: Display) -> View:
    """The view of ``model``."""
    figures = {name: Encoded.of(figure(model, display)) for name, figure in FIGURES.items()}
    return View(figures, in_numbers(model), remark(model))
