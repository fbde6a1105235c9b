"""The room of the page on a loss that its visitor writes: the formula, and all pictures of a loss of pairs for it."""

from collections.abc import Mapping

from dml_viz.analysis.around_triplet import ROLES, TripletChoice
from dml_viz.explain.your_formula.controls import KEY, ask_for_settings
from dml_viz.explain.your_formula.model import Model, model
from dml_viz.explain.your_formula.predictions import PREDICTIONS
from dml_viz.explain.your_formula.presets import BEYOND_90, PRESETS
from dml_viz.losses import Loss
from dml_viz.registry import functions
from dml_viz.room.component_data import PairsOverlay
from dml_viz.room.room import Room
from dml_viz.room.sources import Points


def _drawn(settings: TripletChoice) -> tuple[Mapping[str, Loss], PairsOverlay]:
    return {"formula": settings.loss}, {"ofAnchor": False, "unit": True, "triplet": None}


ROOM: Room[TripletChoice, Model] = Room(
    key=KEY,
    title="Your formula",
    source=Points("overlapping", overlay="pairs", roles=ROLES, picked=(3, 4, 7), key=KEY),
    settings=ask_for_settings,
    of_roles=lambda picked: dict(zip(ROLES, picked, strict=True)),
    model=model,
    figures=functions("dml_viz.plot.one_loss", "model", "display") | functions(f"{__name__}.figures", "model", "display"),
    losses=lambda settings: (settings.loss,),
    drawn=_drawn,
    presets=PRESETS,
    presets_heading="Start from",
    presets_stay=False,
    lesson=BEYOND_90,
    predictions=PREDICTIONS,
    bar=True,
    click=lambda _, point: {f"{KEY}.row": point},
    clickable=("edges",),
)
