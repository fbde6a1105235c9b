"""The room of the FastAP page: from a ranking to a gradient, of one query and of the whole batch."""

from dml_viz.explain.fastap.controls import KEY, ask_for_settings
from dml_viz.explain.fastap.model import Model, Settings
from dml_viz.explain.fastap.predictions import PREDICTIONS
from dml_viz.explain.fastap.presets import PRESETS
from dml_viz.explain.fastap.text import FIRST, binning_in_words, why_no_arrows
from dml_viz.losses.fastap import FastAP
from dml_viz.registry import functions
from dml_viz.room.room import Room
from dml_viz.room.sources import Points

ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="FastAP",
    source=Points("overlapping", overlay="arrows", picked=(0,), key=KEY),
    old_keys={"scene": f"{KEY}.scene"},
    settings=ask_for_settings,
    of_roles=lambda picked: {"query": picked[0]},
    model=Model,
    figures=functions(f"{__name__}.figures", "model", "display"),
    losses=lambda settings: (FastAP(bins=settings.binning.bins),),
    variations=binning_in_words,
    drawn=lambda settings: (
        {KEY: FastAP(bins=settings.binning.bins)},
        {"ofQuery": settings.of_query, "instead": why_no_arrows(settings)},
    ),
    words=FIRST,
    presets=PRESETS,
    predictions=PREDICTIONS,
    click=lambda _, point: {f"{KEY}.query": point},
    clickable=("queries",),
)
