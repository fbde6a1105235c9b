"""All that the page of pairs shows of one look: its figures, ready for the browser, and the numbers in its formula."""

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
from dml_viz.explain.pairs.model import Look
from dml_viz.explain.pairs.model_counting import growth_of_all
from dml_viz.explain.pairs.numbers import in_numbers, remark
from dml_viz.losses.triplet import Triplet
from dml_viz.plot.canvas import key
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import EXACT, NEGATIVE, POSITIVE
from dml_viz.plot.weight_curve import told, weight_figure

MARKS = 1500  # pairs or triplets that are drawn as marks, at most
SEED = 0  # of which of them
TALL = 500  # pixels of the weights, which stand beside the points
LARGEST = 1000  # batch that the counts run to
ROLES = ("anchor", "positive", "negative")


@dataclass(frozen=True)
class Settings:
    """What a view depends on besides its look: names of points (N,) and classes, whose edges, the theme and a plane (d, 2)."""

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


def edges_of(look: Look, settings: Settings) -> Edges:
    """The pairs that are drawn: all of the batch, or those of the anchor."""
    found = look.touched
    if not settings.of_anchor:
        return Edges(found.ends, found.weight, found.positive, found.felt)
    of = (found.ends == look.anchor).any(1)
    return Edges(found.ends[of], found.weight[of], found.positive[of], found.felt[of], "the anchor's ")


def _of_look(look: Look) -> tuple[object, ...]:
    picked = (look.anchor, look.positive, look.negative)
    learnt = tuple((name, tensor.numpy().tobytes()) for name, tensor in look.subject.learnt.items())
    return look.z.tobytes(), look.y.tobytes(), look.z.shape, learnt, picked, type(look.loss).__name__, look.loss


@kept_of_few(Look, lambda look: len(look.y), _of_look)
def view(look: Look, settings: Settings) -> View:
    """The view of ``look``."""
    return View(
        edges=_edges(look, settings),
        weights=_weights(look, settings),
        plane=_plane(look, settings),
        cut=_cut(look, settings),
        shares=Encoded.of(shares_figure(_bars(look), theme=settings.theme)),
        growth=_growth(look, settings),
        in_numbers=in_numbers(look),
        remark=remark(look),
    )


def _edges(look: Look, settings: Settings) -> Encoded:
    flat = flatten(look.z, look.arrows, look.anchor, settings.plane)
    roles = dict(zip(ROLES, (look.anchor, look.positive, look.negative), strict=True))
    return Encoded.of(
        edges_figure(
            flat, edges_of(look, settings), look.y, roles, who=settings.who, names=settings.names,
            title=type(look.loss).title, theme=settings.theme,
        )
    )  # fmt: skip


def _weights(look: Look, settings: Settings) -> Encoded:
    found, who = look.touched, settings.who
    kept = np.arange(len(found.s))
    if len(kept) > MARKS:
        heaviest = np.argsort(-np.abs(found.weight), kind="stable")
        others = np.random.default_rng(SEED).permutation(heaviest[MARKS // 2 :])
        kept = np.concatenate((heaviest[: MARKS // 2], others[: MARKS - MARKS // 2]))
    names = np.array([f"{who[i]} – {who[j]}" for i, j in found.ends[kept].tolist()])
    similarity = "similarity of two points" if found.of_rows else "inner product of two rows less their means"
    fig = weight_figure(
        found.s[kept], found.weight[kept], found.positive[kept], names, similarity=similarity, theme=settings.theme
    )
    kinds = (("●", POSITIVE, "positive"), ("✕", NEGATIVE, "negative"))
    counted = [(found.count(kind == "positive"), sign, colour, kind) for sign, colour, kind in kinds]
    words = [(sign, colour, f"{felt:,} of {all_:,} {kind} pairs weigh") for (felt, all_), sign, colour, kind in counted]
    if len(kept) < len(found.s):
        words.append(("", EXACT, f"drawn: the {MARKS // 2:,} heaviest, and as many of the others"))
    fig.layout.update(height=TALL, annotations=[key(*words)], meta={"alt": told(found.s, found.weight, found.positive)})
    fig.layout.margin.t = 74
    return Encoded.of(fig)


def _plane(look: Look, settings: Settings) -> Encoded:
    plane, around, who = look.plane, look.around, settings.who
    p, n = (index.ravel() for index in np.meshgrid(around.positives, around.negatives, indexing="ij"))
    kept = np.arange(len(p))
    if len(kept) > MARKS:
        kept = np.sort(np.random.default_rng(SEED).permutation(len(p))[:MARKS])
    names = [f"{who[i]}, not {who[j]}" for i, j in zip(p[kept].tolist(), n[kept].tolist(), strict=True)]
    s = look.s[look.anchor]
    return Encoded.of(
        plane_figure(
            Surface(plane.s, plane.value, plane.of_positive, plane.of_negative, plane.band),
            Lines(plane.still, plane.even, plane.half, plane.edge),
            Dots(s[p[kept]], s[n[kept]], around.felt.ravel()[kept], names, (int(around.felt.sum()), len(p))),
            (look.s_p, look.s_n),
            title=type(look.loss).title,
            theme=settings.theme,
        )
    )


def _cut(look: Look, settings: Settings) -> Encoded:
    cut, now = look.cut, float("nan") if look.cut_is_elsewhere else look.s_n
    return Encoded.of(
        cut_figure(
            cut.s_n, cut.value, cut.used, cut.slope, cut.rising,
            follows=cut.follows, s_p=cut.s_p, now=now, theme=settings.theme,
        )
    )  # fmt: skip


def _bars(look: Look) -> list[Bar]:
    kinds = [Bar(f"{role} pairs:", *look.touched.count(role == "positive"), role) for role in ROLES[1:]]
    if not isinstance(look.loss, Triplet):
        return [*kinds, Bar("triplets with a touched pair:", look.count.touched_triplets, look.count.triplets)]
    chosen = look.loss.mining
    return [
        *kinds,
        *(
            Bar(f"triplets, mining {mining}{' (chosen)' if mining == chosen else ''}:", tally.felt, tally.all)
            for mining, tally in look.tallies.items()
        ),
    ]


def _growth(look: Look, settings: Settings) -> Encoded:
    counts = look.growth
    columns = zip(*((c.n, c.pairs, c.triplets, c.touched_pairs, c.touched_triplets) for c in counts), strict=True)
    classes = len(set(look.y.tolist()))
    n = np.unique(np.round(np.geomspace(3, max(LARGEST, len(look.y)), 60)).astype(int))
    return Encoded.of(
        growth_figure(
            Growth(*map(np.array, columns)), n, *growth_of_all(n, classes), classes=classes, theme=settings.theme
        )
    )
