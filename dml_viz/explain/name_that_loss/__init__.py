"""The room of the page that names a loss from a batch with the loss's value and gradient."""

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.name_that_loss.model import Model, Settings
from dml_viz.explain.name_that_loss.recorded import recorded_answer
from dml_viz.params import Param
from dml_viz.registry import functions
from dml_viz.room.ask import Ask
from dml_viz.room.room import Room
from dml_viz.room.source import Subject

EXAMPLE, OWN = "example", "own"
BATCH = Param("batch", EXAMPLE, "", "whose batch the figures show", choices=(EXAMPLE, OWN))
SETTING = "name.batch"


def settings_of_link(ask: Ask, subject: Subject) -> Settings:
    """The example and its answer; nothing where a visitor's own batch is shown, which no link has."""
    return Settings() if ask.setting(SETTING, BATCH) == OWN else Settings(*recorded_answer())


def model_of(_: Embeddings, settings: Settings) -> Model:
    """The model of a batch; ValueError without one."""
    if settings.batch is None:
        raise ValueError("this figure is of a dropped batch, which neither a link nor a figure holds; drop it again")
    return Model(settings)


ROOM: Room[Settings, Model] = Room(
    key="name",
    title="Name that loss",
    settings=settings_of_link,
    model=model_of,
    figures=functions(f"{__name__}.figures", "model", "display"),
)
