"""The caption of a figure: its losses with their knobs, the scene or data, seed and step, and versions, in one line."""

from collections.abc import Mapping, Sequence
from typing import Any

from dml_viz.figure_files.spec import Spec
from dml_viz.training.race import LETTERS
from dml_viz.training.run import PARTS


def caption(spec: Spec, page: str, scene: str = "", variations: Sequence[str] = (), *, images: bool = False) -> str:
    """The caption of the figure of ``spec``, on the page titled ``page``; it shows the points of ``scene`` or of a run.

    ``variations`` say what is otherwise than in the losses of ``spec``.
    A figure of a run that shows ``images`` names those who drew the images, where the data set has credits.
    """
    parts = [*(_loss(loss) for loss in spec.loss), *variations]
    if run := spec.run:
        known = "racers" in run or any(loss == run["loss"] for loss in spec.loss)
        training = [] if known else [f"trained with {_loss(run['loss'])}"]
        rare = [part for part in PARTS.values() if part.rare and part.name in run]
        training += [f"with {_loss(run[part.name])}" if part.kinds else part.words(run[part.name]) for part in rare]
        parts += [
            *training,
            f"{run['dataset']['title']}, {run['net']['title']} to {run['dim']} dimensions",
            f"{_seeds(run)}, step {spec.step}",
        ]
        parts += [f"from step {step} on {what}" for step, what in spec.changes]
        racers = zip(LETTERS, (racer["changes"] for racer in run.get("racers", ())), strict=False)
        parts += [f"{letter}: {_knobs(changes)}" for letter, changes in racers if changes]
        parts += [f"{axis['knob']} = {', '.join(map(str, axis['values']))}" for axis in run.get("axes", ())]
        if images and (credit := _credit(run["dataset"])):
            parts.append(credit)
    elif scene:
        parts.append(scene)
    if spec.query is not None and spec.loss:
        parts.append(f"query #{spec.query}")
    parts.append(", ".join(f"{name} {version}" for name, version in spec.versions.items()))
    return f"{page}: {'; '.join(parts)}." if page else f"{'; '.join(parts)}."


def _credit(dataset: Mapping[str, Any]) -> str:
    """The authors of the images of ``dataset`` with their licences, and that the images were changed; empty without credits."""
    authors = next((kind.credits for kind in PARTS["dataset"].kinds.values() if kind.title == dataset["title"]), ())
    return f"images after {', '.join(authors)}, changed" if authors else ""


def _seeds(run: Mapping[str, Any]) -> str:
    more = run.get("seeds", 1) - 1
    return f"seeds {run['seed']} to {run['seed'] + more}" if more else f"seed {run['seed']}"


def _loss(loss: Mapping[str, Any]) -> str:
    knobs = _knobs(loss["knobs"])
    return f"{loss['title']} ({knobs})" if knobs else str(loss["title"])


def _knobs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} = {_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
