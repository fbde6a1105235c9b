"""The room of the page Beyond one loss: what a method changes in a training step, on a few points and in trained runs."""

from dml_viz.explain.beyond_one_loss.controls import KEY, settings
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_training import OPENING, Settings
from dml_viz.explain.beyond_one_loss.predictions import PREDICTIONS
from dml_viz.explain.beyond_one_loss.presets import PRESETS
from dml_viz.registry import functions
from dml_viz.room.room import Room, SceneOptions

ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="Beyond one loss",
    scene=SceneOptions("two modes in one class", overlay="arrows"),
    settings=settings,
    model=Model,
    figures=functions(f"{__name__}.figures", "model", "display"),
    losses=lambda chosen: (chosen.loss,),
    drawn=lambda chosen: ({"loss": chosen.loss}, {}),
    presets=PRESETS,
    opens={"method": OPENING},
    presets_called="Try",
    predictions=PREDICTIONS,
)
