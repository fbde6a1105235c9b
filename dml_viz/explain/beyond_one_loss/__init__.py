"""The room of the page Beyond one loss: what a method changes in a training step, on a few points and in trained runs."""

from dml_viz.explain.beyond_one_loss import text
from dml_viz.explain.beyond_one_loss.controls import KEY, ask_for_settings
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_training import OPENING, TOGETHER, Settings, losses_trained, race_of
from dml_viz.explain.beyond_one_loss.predictions import PREDICTIONS
from dml_viz.explain.beyond_one_loss.presets import PRESETS
from dml_viz.registry import functions
from dml_viz.room.room import Room
from dml_viz.room.source import PLANE, Live, ViewSettings
from dml_viz.room.sources import Points

TITLE = "Beyond one loss"
ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title=TITLE,
    source=Points("two modes in one class", overlay="arrows", key=KEY),
    settings=ask_for_settings,
    model=Model,
    figures=functions(f"{__name__}.figures", "model", "display"),
    losses=lambda settings: (settings.loss,),
    live=lambda given: Live(
        TOGETHER, TITLE, race_of(given), ViewSettings.of_race(TOGETHER), others=(PLANE,), picture=given.picture
    ),
    drawn=lambda settings: ({"loss": settings.loss}, {}),
    losses_of={"effect": losses_trained, "ways": losses_trained},
    variations=lambda settings: (text.sides_compared(settings),),
    captions={"effect": text.runs_compared, "ways": text.runs_compared},
    presets=PRESETS,
    opens={"method": OPENING},
    presets_heading="Try",
    predictions=PREDICTIONS,
)
