"""The knobs of a run by dotted path: "lr", "loss.bins", "sampler.samples", or a whole part, such as "net"."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from dml_viz.params import Param, knobs, params, training_params
from dml_viz.registry import name_of
from dml_viz.training.run import PARTS, Run

VARYING = tuple(part for part in PARTS.values() if part.varies)
OBJECTS = {part.name: part for part in VARYING if part.kinds}


@lru_cache(maxsize=256)
def paths(run: Run) -> Mapping[str, Param]:
    """Every knob of ``run`` that has an effect, by its path; a whole part is a choice among names."""
    by_path = {knob.name: knob for knob in params(run) if PARTS[knob.name].varies and PARTS[knob.name].suits(run.loss)}
    for name, part in OBJECTS.items():
        value = getattr(run, name)
        values = knobs(value)
        by_path |= {
            f"{name}.{knob.name}": knob for knob in training_params(value) if knob.has_effect(values) and not knob.pattern
        }
        choices = tuple(kind for kind, known in part.kinds.items() if isinstance(value, known) or _goes_with(run, name, known))
        if len(choices) > 1:
            by_path[name] = Param(name, name_of(value), "", f"which {part.label}", choices=choices, label=part.label)
    return by_path


def _goes_with(run: Run, part: str, kind: type) -> bool:
    """Whether ``kind`` can be a part of ``run``: not a method that refuses the loss, nor a visitor's own images."""
    if getattr(kind, "private", False):
        return False
    if part == "method":
        return not with_training_defaults(kind).refuses(run.loss)
    return part != "loss" or not run.method.refuses(with_training_defaults(kind))


def knob_at(run: Run, path: str) -> Param:
    """The knob at ``path``; ValueError, which lists the knobs of the run, for an unknown path."""
    known = paths(run)
    if path not in known:
        raise ValueError(f"this run has no knob {path!r}; choose one of {', '.join(known)}")
    return known[path]


def knobs_named(path: str) -> tuple[Param, ...]:
    """The knobs that ``path`` names in any run, one for each net, sampler and so on that has it; none for an unknown path."""
    part, _, name = path.partition(".")
    if not name:
        choices = tuple(OBJECTS[part].kinds) if part in OBJECTS else ()
        objects = [Param(part, choices[0], "", "", choices=choices)] if choices else []
        return (*(knob for knob in params(Run) if knob.name == path), *objects)
    kinds = OBJECTS[part].kinds.values() if part in OBJECTS else ()
    return tuple(knob for kind in kinds for knob in training_params(kind) if knob.name == name)


def value_title(path: str, value: Any) -> str:
    """The title of a run with ``value`` at ``path``: "samples 32", "embedding dimension 8", "MLP"."""
    if path in PARTS and path not in OBJECTS:
        return PARTS[path].words(value)
    knob = knobs_named(path)[0]
    return kind_titles(knob).get(value) or f"{knob.label_text} {write_value(value)}"


def kind_titles(knob: Param) -> dict[str, str]:
    """The titles of the classes that a whole part can be, by name; empty for any other knob."""
    kinds = OBJECTS[knob.name].kinds.items() if knob.name in OBJECTS else ()
    return {name: str(getattr(kind, "title", name)) for name, kind in kinds if name in knob.choices}


def title_at(run: Run, path: str) -> str:
    """The title of the knob at ``path``, such as "FastAP: bins"."""
    part, _, name = path.partition(".")
    label = knob_at(run, path).label_text
    owner = run.loss.name if part == "loss" else OBJECTS[part].label if name else ""
    return f"{owner}: {label}" if name else label


def value_at(run: Run, path: str) -> Any:
    """The value of the knob at ``path``; for a whole part, its name."""
    part, _, name = path.partition(".")
    value = getattr(run, part)
    return getattr(value, name) if name else name_of(value) if part in OBJECTS else value


def with_value(run: Run, path: str, value: Any) -> Run:
    """``run`` with ``value`` at ``path``; ValueError, naming value, range and fix, for a value that is not allowed.

    A new part gets the knobs that training begins with; the part that the run already has keeps its knobs.
    """
    if wrong := knob_at(run, path).error_for(value):
        raise ValueError(f"{path}: {wrong}")
    part, _, name = path.partition(".")
    if name:
        return replace(run, **{part: replace(getattr(run, part), **{name: value})})
    if part not in OBJECTS:
        return replace(run, **{part: value})
    kind = OBJECTS[part].kinds[value]
    return run if value == value_at(run, path) else replace(run, **{part: with_training_defaults(kind)})


def link_key(run: Run, path: str) -> str:
    """The key in links of the knob at ``path``."""
    name, _, knob = path.partition(".")
    part = PARTS[name]
    return f"{part.key_prefix(part.kind_of(getattr(run, name)))}.{knob}" if knob else part.key


@cache
def with_training_defaults(kind: type) -> Any:
    """A part of class ``kind`` with the knobs that training begins with."""
    return kind(**{knob.name: knob.default for knob in training_params(kind)})


def read_value(knob: Param, text: str) -> Any:
    """The value written as ``text``, anywhere in the domain of ``knob``; ValueError if it is not allowed."""
    return replace(knob, slider=None).read(text)


def write_value(value: Any) -> str:
    """The text of a value in links and figures: 0.5, 20, on."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
