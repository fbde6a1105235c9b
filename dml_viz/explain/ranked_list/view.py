"""All that the Ranked List page shows of one model: its figures, ready for the browser, and the numbers in its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.explain.ranked_list.figures.around import around
from dml_viz.explain.ranked_list.figures.arrows import ranked_arrows_figure
from dml_viz.explain.ranked_list.figures.balls import balls_figure
from dml_viz.explain.ranked_list.figures.kinds import Around
from dml_viz.explain.ranked_list.figures.map import map_figure
from dml_viz.explain.ranked_list.figures.queries import ranked_queries_figure
from dml_viz.explain.ranked_list.figures.strip import strip_figure
from dml_viz.explain.ranked_list.figures.temperature import temperature_figure
from dml_viz.explain.ranked_list.model import VARIANTS, Model
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import params
from dml_viz.plot.disc import LONGEST
from dml_viz.plot.projection import flatten

TERMS = 2  # of a sum that are written out
STEPS = 81  # temperatures


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
    """The figures by name, one of arrows for each variant, and the formula in this query's numbers (LaTeX)."""

    map: Encoded
    strip: Encoded
    temperature: Encoded
    balls: Encoded
    arrows: dict[str, Encoded]
    queries: Encoded
    in_numbers: str


@kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))
def view(model: Model, settings: Settings) -> View:
    """The view of ``model``."""
    one, loss, theme, who = model.one, model.settings.loss, settings.theme, settings.who
    seen = Around(one.gallery, [who[k] for k in one.gallery.tolist()], one.d, one.relevant, one.mined, one.share)
    knobs = loss.alpha, loss.margin
    dim = model.z.shape[1]
    places = around(model.z, model.settings.query, settings.plane)[one.gallery]
    centre = -model.z[model.settings.query] if dim == 2 else None
    return View(
        map=Encoded.of(
            map_figure(seen, places, model.bounds, knobs, centre, query=model.settings.query, dim=dim, theme=theme)
        ),
        strip=Encoded.of(strip_figure(seen, one.slope, model.bounds, knobs, temperature=loss.temperature, theme=theme)),
        temperature=_temperature(model, seen, theme),
        balls=_balls(model, settings),
        arrows=_arrows(model, settings),
        queries=Encoded.of(
            ranked_queries_figure(model.pull, loss.lam * model.push, model.settings.query, model.value, theme=theme)
        ),
        in_numbers=_in_numbers(model),
    )


def _temperature(model: Model, seen: Around, theme: str) -> Encoded:
    one = model.one
    (knob,) = (knob for knob in params(RankedList) if knob.name == "temperature")
    assert knob.slider
    near = np.flatnonzero(one.too_near)
    alone = slice(model.settings.query, model.settings.query + 1)
    temperatures = np.linspace(*knob.slider, STEPS)
    shares = np.stack([model.shares_at(t, alone)[0, one.gallery[near]] for t in temperatures.tolist()])
    now = (model.settings.loss.temperature, one.share[near])
    names = [seen.who[k] for k in near.tolist()]
    return Encoded.of(temperature_figure(temperatures, shares, one.d[near], names, now=now, theme=theme))


def _balls(model: Model, settings: Settings) -> Encoded:
    balls, size = model.balls, len(model.y)
    both = np.concatenate((model.z, balls.centres))
    flat = flatten(both, np.zeros_like(both), model.settings.query, settings.plane)
    fig = balls_figure(
        flat.head(size), flat.places[size:], balls.radius, model.y, balls.outside,
        classes=balls.classes.tolist(), names=settings.names, who=settings.who,
        diameter=model.settings.loss.alpha - model.settings.loss.margin, theme=settings.theme,
    )  # fmt: skip
    return Encoded.of(fig)


def _arrows(model: Model, settings: Settings) -> dict[str, Encoded]:
    moves = model.of_query if settings.of_query else model.of_loss
    authors = moves[VARIANTS[0]]
    flats = {variant: flatten(model.z, move, model.settings.query, settings.plane) for variant, move in moves.items()}
    longest = max(float(np.linalg.norm(flat.arrows, axis=1).max(initial=0)) for flat in flats.values())
    return {
        variant: Encoded.of(
            ranked_arrows_figure(
                flat, model.y, model.settings.query, scale=LONGEST / longest if longest else 0.0,
                length=float(np.linalg.norm(moves[variant])), who=settings.who, theme=settings.theme,
                against=None if variant == VARIANTS[0] else ratio_and_cosine(moves[variant], authors),
            )
        )
        for variant, flat in flats.items()
    }  # fmt: skip


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
