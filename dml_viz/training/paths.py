"""The knobs of a run by dotted path: "lr", "loss.bins", "sampler.samples", or a whole part, such as "net"."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from dml_viz.data.datasets import DATASETS
from dml_viz.data.samplers import SAMPLERS
from dml_viz.losses import KNOWN
from dml_viz.params import Param, knobs, params, trained
from dml_viz.registry import name_of
from dml_viz.training.methods import METHODS
from dml_viz.training.nets import NETS
from dml_viz.training.run import Run

# The parts of a run by the name of its field: all classes of each part, by name.
PARTS: Mapping[str, Mapping[str, type]] = MappingProxyType(
    {"loss": KNOWN, "sampler": SAMPLERS, "net": NETS, "dataset": DATASETS, "method": METHODS}
)
CALLED = MappingProxyType({"loss": "loss", "sampler": "batch", "net": "net", "dataset": "images", "method": "method"})
OWN = ("dim", "lr", "proxy_lr", "label_noise")  # knobs of the run itself


def paths(run: Run) -> dict[str, Param]:
    """Every knob of ``run`` that has an effect, by its path; a whole part is a choice among names."""
    found = {knob.name: knob for knob in params(run) if knob.name in OWN and (knob.name != "proxy_lr" or run.loss.learns)}
    for part, known in PARTS.items():
        own = getattr(run, part)
        values = knobs(own)
        found |= {f"{part}.{knob.name}": knob for knob in trained(own) if knob.counts(values) and not knob.pattern}
        choices = tuple(name for name, kind in known.items() if isinstance(own, kind) or _goes_with(run, part, kind))
        if len(choices) > 1:
            found[part] = Param(part, name_of(own), "", f"which {CALLED[part]}", choices=choices, label=CALLED[part])
    return found


def _goes_with(run: Run, part: str, kind: type) -> bool:
    """Whether ``kind`` can be a part of ``run``: not a method that refuses the loss, nor a visitor's own images."""
    if getattr(kind, "private", False):
        return False
    if part == "method":
        return not made(kind).refuses(run.loss)
    return part != "loss" or not run.method.refuses(made(kind))


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
        own = [knob for knob in params(Run) if knob.name == path]
        whole = [Param(part, next(iter(PARTS[part])), "", "", choices=tuple(PARTS[part]))] if part in PARTS else []
        return (*own, *whole)
    return tuple(knob for kind in PARTS.get(part, {}).values() for knob in trained(kind) if knob.name == name)


def value_title(path: str, value: Any) -> str:
    """The title of a run with ``value`` at ``path``: "samples 32", "embedding dimension 8", "MLP"."""
    knob = knobs_named(path)[0]
    return value_titles(knob).get(value) or f"{knob.called} {write_value(value)}"


def value_titles(knob: Param) -> dict[str, str]:
    """The titles of the choices of a whole part by name; empty for any other knob."""
    kinds = PARTS.get(knob.name, {})
    return {name: str(getattr(kind, "title", name)) for name, kind in kinds.items() if name in knob.choices}


def title_at(run: Run, path: str) -> str:
    """The title of the knob at ``path``, such as "FastAP: bins"."""
    part, _, name = path.partition(".")
    called = knob_at(run, path).called
    if not name:
        return called
    owner = getattr(run, part)
    return f"{owner.name if part == 'loss' else CALLED[part]}: {called}"


def value_at(run: Run, path: str) -> Any:
    """The value of the knob at ``path``; for a whole part, its name."""
    part, _, name = path.partition(".")
    value = getattr(run, part)
    return getattr(value, name) if name else name_of(value) if part in PARTS else value


def with_value(run: Run, path: str, value: Any) -> Run:
    """``run`` with ``value`` at ``path``; ValueError, naming value, range and fix, for a value that is not allowed.

    A new part gets the knobs that training begins with; the part that the run already has keeps its knobs.
    """
    if wrong := knob_at(run, path).complaint(value):
        raise ValueError(f"{path}: {wrong}")
    part, _, name = path.partition(".")
    if name:
        return replace(run, **{part: replace(getattr(run, part), **{name: value})})
    if part not in PARTS:
        return replace(run, **{part: value})
    kind = PARTS[part][value]
    return run if value == value_at(run, path) else replace(run, **{part: made(kind)})


@cache
def made(kind: type) -> Any:
    """A part of class ``kind`` with the knobs that training begins with."""
    return kind(**{knob.name: knob.default for knob in trained(kind)})


def read_value(knob: Param, text: str) -> Any:
    """The value written as ``text``, anywhere in the domain of ``knob``; ValueError if it is not allowed."""
    return replace(knob, slider=None).read(text)


def write_value(value: Any) -> str:
    """The text of a value in links and figures: 0.5, 20, on."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
