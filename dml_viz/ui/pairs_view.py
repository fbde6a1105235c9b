"""All that the page of pairs shows of one look: its figures, ready for the browser, and the numbers in its formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dml_viz.figures.canvas import key
from dml_viz.figures.pairs_counts import Bar, Growth, growth_figure, shares_figure
from dml_viz.figures.pairs_cut import cut_figure
from dml_viz.figures.pairs_edges import Edges, edges_figure
from dml_viz.figures.pairs_plane import Dots, Lines, Surface, plane_figure
from dml_viz.figures.projection import flatten
from dml_viz.figures.style import EXACT, NEGATIVE, POSITIVE
from dml_viz.figures.weight_curve import told, weight_figure
from dml_viz.losses.triplet import Triplet
from dml_viz.pairs_anatomy.counting import growth_of_all
from dml_viz.pairs_anatomy.look import Look
from dml_viz.pairs_anatomy.triplets import distances
from dml_viz.params import params
from dml_viz.ui.encoded import Encoded
from dml_viz.ui.kept import kept_of_few

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
    """The figures by name, and in LaTeX this triplet's numbers and those of the loss."""

    edges: Encoded
    weights: Encoded
    plane: Encoded
    cut: Encoded
    shares: Encoded
    growth: Encoded
    in_numbers: tuple[str, str]


def edges_of(look: Look, settings: Settings) -> Edges:
    """The pairs that are drawn: all of the batch, or those of the anchor."""
    found = look.touched
    felt = found.felt & (found.ends == look.anchor).any(1) if settings.of_anchor else found.felt
    return Edges(found.ends, found.weight, found.positive, felt)


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
        in_numbers=_in_numbers(look),
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
            Surface(plane.s, plane.value, plane.of_positive, plane.of_negative),
            Lines(plane.still, plane.even, plane.half),
            Dots(s[p[kept]], s[n[kept]], around.active.ravel()[kept], names, (int(around.active.sum()), len(p))),
            (look.s_p, look.s_n),
            title=type(look.loss).title,
            theme=settings.theme,
        )
    )


def _cut(look: Look, settings: Settings) -> Encoded:
    cut, now = look.cut, float("nan") if look.cut_is_elsewhere else look.s_n
    return Encoded.of(
        cut_figure(cut.s_n, cut.value, cut.used, cut.slope, cut.rising, s_p=cut.s_p, now=now, theme=settings.theme)
    )


def _bars(look: Look) -> list[Bar]:
    kinds = [Bar(f"{role} pairs:", *look.touched.count(role == "positive"), role) for role in ROLES[1:]]
    if not isinstance(look.loss, Triplet):
        return [*kinds, Bar("triplets with a touched pair:", look.count.touched_triplets, look.count.triplets)]
    chosen = look.loss.mining
    return [
        *kinds,
        *(
            Bar(f"triplets, mining {mining}{' (chosen)' if mining == chosen else ''}:", tally.active, tally.all)
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


def _in_numbers(look: Look) -> tuple[str, str]:
    """The triplet, with its hinge where the loss has one; its weights in the batch, the value and the knobs."""
    loss, a, p, n = look.loss, look.anchor, look.positive, look.negative
    triplet, felt = [], []
    if look.complete:
        triplet += [rf"s_{{ap}}={look.s_p:.3f}", rf"s_{{an}}={look.s_n:.3f}"]
        felt += [rf"w_{{ap}}={_number(look.w_p)}", rf"w_{{an}}={_number(look.w_n)}"]
        if isinstance(loss, Triplet):
            d = distances(loss, look.subject)
            terms = f"{d[a, p]:.3f}-{d[a, n]:.3f}+{loss.margin:g}"
            triplet.append(rf"[{terms}]_+={max(d[a, p] - d[a, n] + loss.margin, 0):.3f}")
    knobs = [
        rf"{knob.symbol}={getattr(loss, knob.name):g}"
        for knob in params(loss)
        if knob.symbol and knob.kind in (int, float)
    ]
    value = rf"L={_number(look.touched.value)}"
    return r",\quad ".join([*triplet, *felt]), r",\quad ".join([value, *knobs])


def _number(value: float) -> str:
    """Three digits, as LaTeX writes them."""
    digits, e, power = f"{value:.3g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if e else digits
