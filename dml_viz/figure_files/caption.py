"""The caption of a figure: its losses with their knobs, the scene or data, seed and step, and versions, in one line."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from dml_viz.figure_files.spec import Spec
from dml_viz.params import params
from dml_viz.training.paths import kind_titles, knobs_named, value_title, write_value
from dml_viz.training.race import LETTERS
from dml_viz.training.run import PARTS
from dml_viz.training.sweep import share_seen

# The labels of knobs by name that are not their names, by the title of what has the knobs.
LABELS = {
    kind.title: labels
    for part in PARTS.values()
    for kind in part.kinds.values()
    if (labels := {knob.name: knob.label for knob in params(kind) if knob.label})
}


def caption(spec: Spec, page: str, scene: str = "", variations: Sequence[str] = (), *, images: bool = False) -> str:
    """The caption of the figure of ``spec``, on the page titled ``page``; it shows the points of ``scene`` or of a run.

    ``variations`` say what is otherwise than in the losses of ``spec``.
    A figure of a run that shows ``images`` names those who drew the images, where the data set has credits.
    """
    run = spec.run or {}
    swept = {axis["knob"] for axis in run.get("axes", ())}  # whose values are those of the axes alone
    parts = [_part(loss, "loss", swept) for loss in spec.loss if "loss" not in swept]
    parts += variations
    if run:
        known = swept or "racers" in run or any(loss == run["loss"] for loss in spec.loss)
        training = [] if known else [f"trained with {_part(run['loss'])}"]
        rare = [part for part in PARTS.values() if part.rare and part.name in run and part.name not in swept]
        training += [
            f"with {_part(run[part.name], part.name, swept)}" if part.kinds else part.words(run[part.name]) for part in rare
        ]
        parts += [*training, _data_and_net(run, swept), f"{_seeds(run)}, {_when(run, spec.step)}"]
        parts += [f"from step {step} on {what}" for step, what in spec.changes]
        racers = zip(LETTERS, map(_own, run.get("racers", ())), strict=False)
        parts += [f"{letter}: {words}" for letter, words in racers if words]
        parts += [_axis(axis, run) for axis in run.get("axes", ())]
        if images and (credit := _credit(run["dataset"])):
            parts.append(credit)
    elif scene:
        parts.append(scene)
    if spec.query is not None and spec.loss and "racers" not in run:
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


def _when(run: Mapping[str, Any], step: int | None) -> str:
    """The step; of runs that see equally many images in steps of their own, the share of the images."""
    return f"{share_seen(step or 0, run['steps'])} of the images seen" if run.get("equal") == "images" else f"step {step}"


def _data_and_net(run: Mapping[str, Any], swept: Container[str]) -> str:
    """The data set, the net and its dimensions, without what is swept."""
    dataset = "" if "dataset" in swept else run["dataset"]["title"]
    net = "" if "net" in swept else run["net"]["title"]
    dimensions = "" if "dim" in swept else f"{run['dim']} dimensions"
    return ", ".join(filter(None, (dataset, " to ".join(filter(None, (net, dimensions))))))


def _own(racer: Mapping[str, Any]) -> str:
    """What a racer has of its own, and where it branches off."""
    words = [value_title(path, value) for path, value in racer["changes"].items()]
    if racer["branch"]:
        step, origin = racer["branch"]
        words.append(f"from {LETTERS[origin]} at step {step}")
    return ", ".join(words)


def _axis(axis: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    """A swept knob and its values."""
    part, _, name = axis["knob"].partition(".")
    knob, owner = knobs_named(axis["knob"])[0], ""
    if name and part in run:
        kind = PARTS[part].kinds[run[part]["name"]]
        knob = next((each for each in params(kind) if each.name == name), knob)
        owner = f"{run[part]['title'] if part == 'loss' else PARTS[part].label}: "
    titles = kind_titles(knob)
    if titles and run.get(part) and (part == "loss" or PARTS[part].rare):  # which captions name with their knobs
        titles[run[part]["name"]] = _part(run[part])
    values = ", ".join(titles.get(value) or write_value(value) for value in axis["values"])
    return f"{owner}{knob.label_text} {values}"


def _part(part: Mapping[str, Any], path: str = "", swept: Container[str] = ()) -> str:
    """A loss or another part with its knobs, without those below ``path`` that are swept."""
    return part_in_words(part["title"], {name: value for name, value in part["knobs"].items() if f"{path}.{name}" not in swept})


def part_in_words(title: str, knobs: Mapping[str, Any]) -> str:
    """A loss or another part with its knobs."""
    labels = LABELS.get(title, {})
    words = ", ".join(f"{labels.get(name, name.replace('_', ' '))} = {_value(value)}" for name, value in knobs.items())
    return f"{title} ({words})" if words else title


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
