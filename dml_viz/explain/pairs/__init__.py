"""The room of the page of pairs: which pairs a loss pulls or pushes, how hard, and the plane of one triplet."""

from collections.abc import Mapping
from functools import partial

from dml_viz.analysis.around_triplet import ROLES
from dml_viz.explain.pairs.controls import KEY, ask_for_settings
from dml_viz.explain.pairs.figures import FIGURES, OF_EACH
from dml_viz.explain.pairs.model import Losses, PageSettings, losses_on_planes
from dml_viz.explain.pairs.predictions import PREDICTIONS
from dml_viz.explain.pairs.presets import NO_GRADIENT, PRESETS, SCENES
from dml_viz.explain.pairs.text import FIRST
from dml_viz.losses import Loss
from dml_viz.losses.triplet import Triplet
from dml_viz.params import knobs
from dml_viz.registry import name_of
from dml_viz.room.component_data import PairsOverlay
from dml_viz.room.room import Room
from dml_viz.room.sources import Points


def _drawn(settings: PageSettings) -> tuple[Mapping[str, Loss], PairsOverlay]:
    loss = settings.losses[0]
    triplet = knobs(loss) if isinstance(loss, Triplet) else None
    name = name_of(loss)
    return {name: loss}, {"ofAnchor": settings.edges == "anchor", "unit": loss.unit, "triplet": triplet}


def _loss_beside(place: int, settings: PageSettings) -> tuple[Loss, ...]:
    return settings.losses[place : place + 1]


ROOM: Room[PageSettings, Losses] = Room(
    key=KEY,
    title="Pairs, triplets, tuples",
    source=Points("overlapping", overlay=KEY, roles=ROLES, picked=(3, 4, 7), scenes=lambda: SCENES, key=KEY),
    settings=ask_for_settings,
    of_roles=lambda picked: {"triplet": picked},
    model=Losses,
    figures=FIGURES,
    losses=lambda settings: settings.losses,
    losses_of={
        KEY: lambda settings: _loss_beside(0, settings),
        **{name: partial(_loss_beside, int(name[-1])) for name in OF_EACH},
        "planes": losses_on_planes,
    },
    drawn=_drawn,
    words=FIRST,
    presets=PRESETS,
    predictions=PREDICTIONS,
    lesson=NO_GRADIENT,
    click=lambda _, point: {f"{KEY}.row": point},
    clickable=("edges-0", "edges-1"),
)
