"""The room of the page on batches: what splitting them loses, the memory they take, and ways to fill them with hard negatives."""

from dml_viz.explain.batches.controls import ask_for_settings
from dml_viz.explain.batches.model import Model, Settings
from dml_viz.explain.batches.predictions import PREDICTIONS
from dml_viz.explain.batches.text import CAPTIONS
from dml_viz.registry import functions
from dml_viz.room.room import Room

ROOM: Room[Settings, Model] = Room(
    key="batches",
    title="Batches",
    settings=ask_for_settings,
    model=lambda _, settings: Model(settings),
    captions=CAPTIONS,
    figures=functions(f"{__name__}.figures", "model", "display"),
    predictions=PREDICTIONS,
)
