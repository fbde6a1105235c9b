"""The declaration of a part of a run, a field, for links, controls, changes, races, sweeps and captions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from dml_viz.losses import Loss
from dml_viz.params import KEY, Param, param
from dml_viz.registry import name_of

PART = "part"


@dataclass(frozen=True)
class Part:
    """A field ``name`` of a run: a knob, or an object of one of ``kinds``, its classes by their names in links.

    ``key`` is its key in links, where it is ``linked``. The knobs of an object are in links as "kind.knob", or below the part's
    own key if they are ``nested``. A ``live`` part may change while a run trains; racers and the runs of a sweep may differ in
    one that ``varies``. A ``rare`` part is in recipes and captions only if it is not at its ``default``; `words` has it in
    words. With a loss that it does not ``suit`` a part has no effect.
    """

    name: str = ""
    label: str = ""
    key: str = ""
    default: Any = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    nested: bool = False
    linked: bool = True
    live: bool = False
    varies: bool = False
    rare: bool = False
    suits: Callable[[Loss], bool] = lambda loss: True
    words: Callable[[Any], str] = str

    def key_prefix(self, kind: str) -> str:
        """The prefix of the keys in links of the knobs of an object of class ``kind``: "kind", or "part.kind" if nested."""
        return f"{self.key}.{kind}" if self.nested else kind

    def kind_of(self, value: Any) -> str:
        """The name in links of the class of the object ``value``."""
        return name_of(value) if len(self.kinds) > 1 else next(iter(self.kinds))

    def is_in_captions(self, value: Any) -> bool:
        """Whether recipes and captions mention ``value``; links do not depend on this."""
        return not self.rare or value != self.default


def knob(default: Any, meaning: str, symbol: str = "", part: Part | None = None, **more: Any) -> Any:
    """Declare a knob as a field of a run; ``more`` are fields of `Param`."""
    declared = param(default, meaning, symbol, **more)
    return field(default=default, metadata={**declared.metadata, PART: part or Part()})


def choice(kinds: Mapping[str, type], default: type, part: Part) -> Any:
    """Declare an object of one of ``kinds`` as a field of a run, by default of class ``default``."""
    return field(default_factory=default, metadata={PART: replace(part, kinds=kinds, default=default())})


def parts_of(run: type) -> Mapping[str, Part]:
    """The parts of a run by name, in the order of its fields."""
    parts: dict[str, Part] = {}
    for each in fields(run):
        part: Part = replace(each.metadata[PART], name=each.name)
        if known := each.metadata.get(KEY):
            param: Param = replace(known, name=each.name)
            part = replace(part, label=param.label_text, default=param.default, key=f"run.{each.name}")
            if part.words is str:
                part = replace(part, words=partial(_words, param))
        parts[each.name] = replace(part, label=part.label or each.name, key=part.key or each.name)
    return MappingProxyType(parts)


def _words(knob: Param, value: Any) -> str:
    return f"{knob.label_text} {value:g}" if isinstance(value, float) else f"{knob.label_text} {value}"
