"""Figures of the page of pairs, by name and place: "edges-0" is of the first loss, "edges-1" of the one beside it."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dml_viz.explain.pairs.model import Losses
from dml_viz.plot.canvas import Display
from dml_viz.registry import functions

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model


def _of(figure: Callable[["Model", Display], go.Figure], place: int, losses: Losses, display: Display) -> go.Figure:
    if place >= len(losses.models):
        raise ValueError("this figure is of a loss beside the first one; choose one there")
    return figure(losses.models[place], display)


OF_ONE = {**functions("dml_viz.plot.one_loss", "model", "display"), **functions(__name__, "model", "display")}
OF_EACH: dict[str, Callable[..., go.Figure]] = {
    f"{name}-{place}": partial(_of, figure, place) for name, figure in OF_ONE.items() for place in range(2)
}
FIGURES: dict[str, Callable[..., go.Figure]] = {**OF_EACH, **functions(__name__, "losses", "display")}
