"""All that the proxies page shows of one model: its figures, ready for the browser, and the numbers in its sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import plotly.graph_objects as go

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.explain.proxies.figures.flow import Course, flow_figure
from dml_viz.explain.proxies.figures.hardness import Hardness, hardness_figure
from dml_viz.explain.proxies.figures.picture import Pick, Scale, Words, proxies_figure
from dml_viz.explain.proxies.figures.table import heat_map_figure
from dml_viz.explain.proxies.formulas import of_sample, of_star
from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_flow import Flow, Outcome, flow
from dml_viz.explain.proxies.model_response import ProxyResponse
from dml_viz.plot.projection import flatten

GRID = np.linspace(-1, 1, 61)
HIGH, LOW = 480, 390  # pixels, of a picture
STEPS, STEPS_OF_MANY = 120, 40  # of the flow
NCA, ANCHOR = "Proxy-NCA", "Proxy-Anchor"


@dataclass(frozen=True)
class Settings:
    """What figures depend on besides their model.

    Classes by number and by name, for the stars (C,) and for samples; whose edges are drawn, the theme, and a plane (d, 2).
    """

    classes: tuple[int, ...]
    names: Sequence[str]
    edges: str
    theme: str
    plane: np.ndarray | None = None


@dataclass(frozen=True)
class View:
    """Figures of the two losses by name, and both formulas with numbers in them (LaTeX)."""

    figures: dict[str, Encoded]
    of_sample: str
    of_star: str


@dataclass(frozen=True)
class Freed:
    """Figures of both losses set free, by name, and what became of the pull of each."""

    figures: dict[str, Encoded]
    nca: Outcome
    anchor: Outcome


_kept = kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))


@_kept
def view(model: Model, settings: Settings) -> View:
    """The two losses on ``model``."""
    drawing, both = Drawing(model, settings), {NCA: model.nca, ANCHOR: model.anchor}
    figures = {
        "nca": drawing.picture(model.nca, NCA),
        "anchor": drawing.picture(model.anchor, ANCHOR),
        "pull": drawing.hardness(both, positive=True),
        "push": drawing.hardness(both, positive=False),
        "table_nca": drawing.table(model.nca, NCA),
        "table_anchor": drawing.table(model.anchor, ANCHOR),
    }
    stars = [settings.names[c].removeprefix("class ") for c in settings.classes]
    return View(
        {name: Encoded.of(fig) for name, fig in figures.items()}, of_sample(model, stars), of_star(model, stars)
    )


@_kept
def cousins(model: Model, settings: Settings) -> dict[str, Encoded]:
    """The cousin's picture and table."""
    drawing, title = Drawing(model, settings), model.variant.loss.name
    figures = {
        "cousin": drawing.picture(model.variant, title),
        "pull_cousin": drawing.hardness({title: model.variant, NCA: model.nca}, positive=True),
        "table_cousin": drawing.table(model.variant, title),
    }
    return {name: Encoded.of(fig) for name, fig in figures.items()}


@_kept
def freed(model: Model, settings: Settings, step: int, times: float, steps: int) -> Freed:
    """Both losses after ``step`` of ``steps`` down the gradient, proxies learning ``times`` as fast, and the pull all along."""
    drawing, sides = Drawing(model, settings), ((NCA, model.nca), (ANCHOR, model.anchor))
    flows = [flow(side, steps, times) for _, side in sides]
    courses = [Course(title, gone.pull, gone.cosine) for (title, _), gone in zip(sides, flows, strict=True)]
    pictures = (drawing.flowed(gone, title, step) for (title, _), gone in zip(sides, flows, strict=True))
    figures = (*pictures, flow_figure(courses, step, theme=settings.theme))
    named = dict(zip(("flow_nca", "flow_anchor", "flow"), map(Encoded.of, figures), strict=True))
    return Freed(named, *(gone.outcome for gone in flows))


@dataclass(frozen=True)
class Drawing:
    """Makes the figures of a model."""

    model: Model
    settings: Settings

    @cached_property
    def who(self) -> list[str]:
        """What the samples are called."""
        names = self.settings.names
        return [f"#{k} {names[c].removeprefix('class ')}" for k, c in enumerate(self._y.tolist())]

    def picture(self, side: ProxyResponse, title: str) -> go.Figure:
        """A loss as the subject stands, with the paths of the stars where they have any."""
        paths = self.model.embeddings.learnt.get("paths")
        # A cousin's centres, and stars that a mistake has taken away, have come no way.
        way = None if paths is None or paths.shape[1] != len(side.proxies) else paths.numpy()
        return self._figure(side, title, way, LOW if side is self.model.variant else HIGH)

    def flowed(self, course: Flow, title: str, step: int) -> go.Figure:
        """A loss after so many steps of the flow, with the paths of the stars so far."""
        return self._figure(course.states[step], f"{title}, step {step}", course.proxies[: step + 1])

    def hardness(self, sides: Mapping[str, ProxyResponse], *, positive: bool) -> go.Figure:
        """The losses' curves for the sample and its own star, or the one of another class; of several, the nearest."""
        model = self.model
        asked = model.own if positive else model.rival
        losses = [self._hardness(title, side, asked, positive) for title, side in sides.items()]
        pair = f"{self.who[model.settings.sample]} and star of {self._star(asked)}" if asked >= 0 else "No such pair"
        return hardness_figure(GRID, losses, positive=positive, pair=pair, theme=self.settings.theme)

    def _hardness(self, title: str, side: ProxyResponse, asked: int, positive: bool) -> Hardness:
        sample, of = self.model.settings.sample, side.own if positive else ~side.own
        signed = -1 / side.most[0] if positive else 1 / side.most[1]
        pairs = np.argwhere(of)
        stars = [self._star(int(c)) for c in side.owners]
        names = [f"{self.who[i]} and star of {stars[p]}" for i, p in pairs.tolist()]
        if asked < 0:
            return Hardness(title, np.zeros(0), side.s[of], signed * side.weights[of], names, -1)
        centres = np.flatnonzero(side.owners == asked)
        proxy = int(centres[side.s[sample, centres].argmax()])
        now = int(np.flatnonzero((pairs == (sample, proxy)).all(1))[0])
        return Hardness(
            title, signed * side.against(sample, proxy, GRID), side.s[of], signed * side.weights[of], names, now
        )

    def table(self, side: ProxyResponse, title: str) -> go.Figure:
        """A loss's table of weights."""
        return heat_map_figure(
            side.weights,
            self._y,
            self._owners(side),
            most=side.most[0],
            title=title,
            who=self.who,
            names=self.settings.names,
            theme=self.settings.theme,
        )

    def _figure(self, side: ProxyResponse, title: str, way: np.ndarray | None, height: int = LOW) -> go.Figure:
        model, settings, n = self.model, self.settings, len(side.inputs.z)
        several = side.loss.per_class > 1
        edges = settings.edges
        if edges == "picked":
            edges = side.asks
        proxy = -1 if several else model.proxy
        # Flattened with all else are the way, and the eye, so that every picture of a sphere is seen from one side.
        been = np.zeros((0, side.inputs.z.shape[1])) if way is None else way.reshape(-1, side.inputs.z.shape[1])
        been = np.concatenate((been, model.z[model.settings.sample][None]))
        rows = np.concatenate((side.inputs.z.numpy(), side.proxies.numpy(), been))
        arrows = np.concatenate((-side.tangent, -side.at_proxies, 0 * been))
        flat = flatten(rows, arrows, len(rows) - 1, settings.plane)
        drawn = n + len(side.proxies)
        share = n / len(side.proxies)
        star = side.most[0] * (1 if side is model.anchor else share)
        return proxies_figure(
            flat.head(drawn), self._y, self._owners(side), side.weights, flat.places[drawn:-1].reshape(-1, len(side.proxies), 2),
            pick=Pick("sample" if several and edges == "proxy" else edges, model.settings.sample, proxy),
            scale=Scale(side.most[0], side.most[0], star),
            words=Words(title, side.value, self.who, settings.names, height), theme=settings.theme,
        )  # fmt: skip

    @cached_property
    def _y(self) -> np.ndarray:
        return np.array(self.settings.classes)[self.model.y]

    def _owners(self, side: ProxyResponse) -> np.ndarray:
        return np.array(self.settings.classes)[side.owners]

    def _star(self, proxy: int) -> str:
        return self.settings.names[self.settings.classes[proxy]].removeprefix("class ")
