"""The room of the page of gradients: one batch under many losses, the arrows that each gives, and where they lead."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dml_viz.app.room import NOTHING, Room, SceneOptions, Shown
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.gradients.components import COMPONENTS, followed
from dml_viz.explain.gradients.controls import KEY, settings
from dml_viz.explain.gradients.figures import FIGURES
from dml_viz.explain.gradients.model import Model, Settings, model
from dml_viz.explain.gradients.model_inputs import batch
from dml_viz.explain.gradients.predictions import PREDICTIONS
from dml_viz.explain.gradients.presets import PRESETS, WRITERS
from dml_viz.losses import Loss

SCENE = "one hard negative"
HARD = 4  # the point that lies in the middle of another class
STYLE = """<style>
.st-key-gradients-alike { container-type: inline-size; }
@container (max-width: 480px) { .st-key-gradients-alike .heatmap-label { display: none; } }
@media (min-width: 641px) {
  .st-key-gradients-rail { position: sticky; top: 4rem; max-height: calc(100vh - 4.5rem); overflow: hidden auto; }
  [data-testid="stColumn"]:has(.st-key-gradients-rail) > div { height: 100%; }
}
.st-key-gradients-rail { gap: 0.5rem; padding-right: 0.5rem; }
.st-key-gradients-switches { gap: 0.5rem 1.25rem; }
.st-key-gradients-switches [data-testid="stButtonGroup"] { display: flex; align-items: center; gap: 0.6rem; }
.st-key-gradients-switches [data-testid="stButtonGroup"] label { margin: 0; white-space: nowrap; }
</style>"""


def _of_run(shown: Shown, chosen: Settings) -> tuple[Embeddings, Settings]:
    assert shown.embeddings is not None
    assert shown.live is not None
    trained = shown.live.subject.train_classes if shown.live.subject else ()
    own = replace(chosen, own=shown.live.run.loss, trained=tuple(trained))
    return batch(shown.embeddings, chosen.batch), own


def _drawn(chosen: Settings) -> tuple[Mapping[str, Loss], Mapping[str, Any]]:
    losses = {type(loss).__module__.rpartition(".")[2]: loss for loss in chosen.losses}
    return NOTHING, followed(losses, chosen.part, chosen.of)


ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="Gradients side by side",
    scene=SceneOptions(SCENE, overlay=KEY, picked=(HARD,), proxies=True, height=340),
    settings=settings,
    with_roles=lambda chosen, roles: replace(chosen, query=roles[0]),
    model=model,
    figures=FIGURES,
    losses=lambda chosen: chosen.losses,
    drawn=_drawn,
    presets=PRESETS,
    predictions=PREDICTIONS,
    lesson=WRITERS,
    style=STYLE,
    from_run=_of_run,
    bar=True,
    components=COMPONENTS,
)
