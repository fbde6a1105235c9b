"""All that the page of pairs shows of one model: its figures, ready for the browser, and the numbers in its formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.explain.pairs.figures.counts import Bar, Growth, growth_figure, shares_figure
from dml_viz.explain.pairs.figures.cut import cut_figure
from dml_viz.explain.pairs.figures.edges import Edges, edges_figure
from dml_viz.explain.pairs.figures.field import Lines, Surface
from dml_viz.explain.pairs.figures.plane import Dots, plane_figure
from dml_viz.explain.pairs.model import Model
from dml_viz.explain.pairs.model_triplets import growth_of_all
from dml_viz.explain.pairs.numbers import in_numbers, remark
from dml_viz.losses.triplet import Triplet
from dml_viz.plot.canvas import key
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import EXACT, NEGATIVE, POSITIVE
from dml_viz.plot.weight_curve import weight_figure, weight_words

MARKS = 1500  # pairs or triplets that are drawn as marks, at most
SEED = 0  # of which of them
TALL = 500  # pixels of the weights, which stand beside the points
LARGEST = 1000  # batch that the counts run to
ROLES = ("anchor", "positive", "negative")


@dataclass(frozen=True)
class Settings:
    """What a view depends on besides its model: names of points (N,) and classes, whose edges, the theme and a plane (d, 2)."""

    who: Sequence[str]
    names: Sequence[str]
    of_anchor: bool
    theme: str
    plane: np.ndarray | None = None


@dataclass(frozen=True)
class View:
    """The figures by name, in LaTeX this triplet's numbers and those of the loss, and a remark on them, perhaps ""."""

    edges: Encoded
    weights: Encoded
    plane: Encoded
    cut: Encoded
    shares: Encoded
    growth: Encoded
    in_numbers: tuple[str, str]
    remark: str


def edges_of(model: Model, settings: Settings) -> Edges:
    """The pairs that are drawn: all of the batch, or those of the anchor."""
    found = model.response
    if not settings.of_anchor:
        return Edges(found.ends, found.pair_weights, found.positive, found.active)
    of = (found.ends == model.settings.anchor).any(1)
    return Edges(found.ends[of], found.pair_weights[of], found.positive[of], found.active[of], "the anchor's ")


@kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))
def view(model: Model, settings: Settings) -> View:
    """The view of ``model``."""
    return View(
        edges=_edges(model, settings),
        weights=_weights(model, settings),
        plane=_plane(model, settings),
        cut=_cut(model, settings),
        shares=Encoded.of(shares_figure(_bars(model), theme=settings.theme)),
        growth=_growth(model, settings),
        in_numbers=in_numbers(model),
        remark=remark(model),
    )


def _edges(model: Model, settings: Settings) -> Encoded:
    flat = flatten(model.z, model.arrows, model.settings.anchor, settings.plane)
    roles = dict(zip(ROLES, (model.settings.anchor, model.settings.positive, model.settings.negative), strict=True))
    return Encoded.of(
        edges_figure(
            flat, edges_of(model, settings), model.y, roles, who=settings.who, names=settings.names,
            title=type(model.settings.loss).title, theme=settings.theme,
        )
    )  # fmt: skip


def _weights(model: Model, settings: Settings) -> Encoded:
    found, who = model.response, settings.who
    kept = np.arange(len(found.ends))
    if len(kept) > MARKS:
        heaviest = np.argsort(-np.abs(found.pair_weights), kind="stable")
        others = np.random.default_rng(SEED).permutation(heaviest[MARKS // 2 :])
        kept = np.concatenate((heaviest[: MARKS // 2], others[: MARKS - MARKS // 2]))
    names = np.array([f"{who[i]} – {who[j]}" for i, j in found.ends[kept].tolist()])
    similarity = "similarity of two points" if found.of_points else "inner product of two rows less their means"
    fig = weight_figure(
        found.similarities[kept],
        found.pair_weights[kept],
        found.positive[kept],
        names,
        similarity=similarity,
        theme=settings.theme,
    )
    kinds = (("●", POSITIVE, "positive"), ("✕", NEGATIVE, "negative"))
    counted = [(found.active_of(kind == "positive"), sign, colour, kind) for sign, colour, kind in kinds]
    words = [
        (sign, colour, f"{active:,} of {all_:,} {kind} pairs weigh") for (active, all_), sign, colour, kind in counted
    ]
    if len(kept) < len(found.ends):
        words.append(("", EXACT, f"drawn: the {MARKS // 2:,} heaviest, and as many of the others"))
    fig.layout.update(
        height=TALL,
        annotations=[key(*words)],
        meta={"alt": weight_words(found.similarities, found.pair_weights, found.positive)},
    )
    fig.layout.margin.t = 74
    return Encoded.of(fig)


def _plane(model: Model, settings: Settings) -> Encoded:
    plane, around, who = model.plane, model.around, settings.who
    p, n = (index.ravel() for index in np.meshgrid(around.positives, around.negatives, indexing="ij"))
    kept = np.arange(len(p))
    if len(kept) > MARKS:
        kept = np.sort(np.random.default_rng(SEED).permutation(len(p))[:MARKS])
    names = [f"{who[i]}, not {who[j]}" for i, j in zip(p[kept].tolist(), n[kept].tolist(), strict=True)]
    s = model.s[model.settings.anchor]
    return Encoded.of(
        plane_figure(
            Surface(plane.s, plane.value, plane.of_positive, plane.of_negative, plane.band),
            Lines(plane.still, plane.even, plane.half, plane.edge),
            Dots(
                s[p[kept]],
                s[n[kept]],
                around.with_gradient.ravel()[kept],
                names,
                (int(around.with_gradient.sum()), len(p)),
            ),
            (model.s_p, model.s_n),
            title=type(model.settings.loss).title,
            theme=settings.theme,
        )
    )


def _cut(model: Model, settings: Settings) -> Encoded:
    cut, now = model.cut, float("nan") if model.cut_is_elsewhere else model.s_n
    return Encoded.of(
        cut_figure(
            cut.s_n, cut.value, cut.used, cut.slope, cut.rising,
            follows=cut.follows, s_p=cut.s_p, now=now, theme=settings.theme,
        )
    )  # fmt: skip


def _bars(model: Model) -> list[Bar]:
    kinds = [Bar(f"{role} pairs:", *model.response.active_of(role == "positive"), role) for role in ROLES[1:]]
    if not isinstance(model.settings.loss, Triplet):
        return [*kinds, Bar("triplets with a touched pair:", model.count.active_triplets, model.count.triplets)]
    chosen = model.settings.loss.mining
    return [
        *kinds,
        *(
            Bar(f"triplets, mining {mining}{' (chosen)' if mining == chosen else ''}:", tally.with_gradient, tally.all)
            for mining, tally in model.tallies.items()
        ),
    ]


def _growth(model: Model, settings: Settings) -> Encoded:
    counts = model.growth
    columns = zip(*((c.n, c.pairs, c.triplets, c.active_pairs, c.active_triplets) for c in counts), strict=True)
    classes = len(set(model.y.tolist()))
    n = np.unique(np.round(np.geomspace(3, max(LARGEST, len(model.y)), 60)).astype(int))
    return Encoded.of(
        growth_figure(
            Growth(*map(np.array, columns)), n, *growth_of_all(n, classes), classes=classes, theme=settings.theme
        )
    )
