"""The room of the page of gradients: one batch under many losses, the arrows of each, and the flows along them."""

from collections.abc import Mapping
from dataclasses import replace

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.gradients.components import COMPONENTS, overlay_settings
from dml_viz.explain.gradients.controls import KEY, ask_for_settings
from dml_viz.explain.gradients.model import Model, Settings, model
from dml_viz.explain.gradients.model_inputs import balanced_batch
from dml_viz.explain.gradients.predictions import PREDICTIONS
from dml_viz.explain.gradients.presets import PRESETS, WRITERS
from dml_viz.explain.gradients.text import FIRST
from dml_viz.losses import Loss
from dml_viz.registry import functions, name_of
from dml_viz.room.ask import NOTHING
from dml_viz.room.component_data import GradientsOverlay
from dml_viz.room.room import Room
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points

SCENE = "one hard negative"
HARD = 4  # the point in the middle of another class


def _of_run(subject: Subject, settings: Settings) -> tuple[Embeddings, Settings]:
    assert subject.embeddings is not None
    live = subject.live
    trained = live.subject.train_classes if live and live.subject else ()
    with_run = replace(settings, run_loss=live.run.loss if live else None, trained=tuple(trained))
    return balanced_batch(subject.embeddings, settings.batch), with_run


def _drawn(settings: Settings) -> tuple[Mapping[str, Loss], GradientsOverlay]:
    losses = {name_of(loss): loss for loss in settings.losses}
    return NOTHING, overlay_settings(losses, settings.part, settings.turned)


ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="All losses side by side",
    source=Points(SCENE, overlay=KEY, picked=(HARD,), proxies=True, height=340, key=KEY),
    settings=ask_for_settings,
    of_roles=lambda picked: {"query": picked[0]},
    model=model,
    figures=functions(f"{__name__}.figures", "model", "display"),
    losses=lambda settings: settings.losses,
    drawn=_drawn,
    words=FIRST,
    presets=PRESETS,
    predictions=PREDICTIONS,
    lesson=WRITERS,
    from_run=_of_run,
    bar=True,
    components=COMPONENTS,
)
