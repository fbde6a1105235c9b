"""Knobs: one declaration per number, from which sliders, links, checks, tables and tests derive."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

KEY = "knob"


@dataclass(frozen=True)
class Domain:
    """An interval of numbers, written as mathematics writes it: ``"(0, inf)"``, ``"[1, 1000]"``."""

    low: float
    high: float
    open_low: bool
    open_high: bool

    @classmethod
    def parse(cls, text: str) -> Domain:
        low, high = text[1:-1].split(",")
        return cls(float(low), float(high), text[0] == "(", text[-1] == ")")

    def __contains__(self, value: float) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"{left}{_written(self.low)}, {_written(self.high)}{right}"


@dataclass(frozen=True)
class Param:
    """One knob of a declaration.

    ``domain`` is where the formula is defined and is enforced; ``slider`` is where it is worth looking.
    A knob is a number, a whole number, a switch (bool) or one of ``choices``; its default tells which.
    """

    name: str
    default: Any
    symbol: str
    meaning: str
    unit: str = ""
    domain: Domain | None = None
    slider: tuple[float, float] | None = None
    step: float | None = None
    choices: tuple[Any, ...] = ()
    source: str = ""
    log: bool = False
    label: str = ""

    @property
    def called(self) -> str:
        """What a control is headed with."""
        return self.label or self.name.replace("_", " ")

    @property
    def kind(self) -> type:
        """bool, int, float or str."""
        return type(self.default)

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.kind is bool:
            return "on or off"
        return ", ".join(map(str, self.choices)) if self.choices else str(self.domain)

    @property
    def ends(self) -> tuple[Any, ...]:
        """What the extreme positions of the control give: both ends of the slider, or every choice."""
        if self.kind is bool:
            return (False, True)
        return self.choices or tuple(map(self.kind, self.slider or ()))

    def complaint(self, value: Any) -> str | None:
        """What is wrong with ``value``, in words that name the fix; None if it may stand."""
        if self.kind is bool:
            good = isinstance(value, bool)
        elif self.choices:
            good = value in self.choices
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            good = False
        else:
            good = (
                (self.kind is not int or isinstance(value, int))
                and math.isfinite(value)
                and value in (self.domain or Domain.parse("(-inf, inf)"))
            )
        if good:
            return None
        whole_number = "a whole number in " if self.kind is int and not self.choices else ""
        return f"{self.name} = {value!r} is not allowed; choose {whole_number}{self.allowed} (default {self.default})"

    def read(self, text: str) -> Any:
        """The value written as ``text`` in a link; ValueError with a complaint where there is none."""
        value: Any = text
        if self.kind is bool:
            value = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}.get(
                text.lower(), text
            )
        elif self.kind in (int, float):
            try:
                number = float(text)
                value = int(number) if self.kind is int and number.is_integer() else number
            except ValueError:
                value = text
        wrong = self.complaint(value)
        if wrong is None and self.slider and not self.slider[0] <= value <= self.slider[1]:
            low, high = map(_written, self.slider)
            wrong = f"{self.name} = {text!r} is off the slider; choose {low} to {high} (default {self.default})"
        if wrong:
            raise ValueError(wrong)
        return value


def param(
    default: Any,
    symbol: str,
    *,
    meaning: str,
    domain: str | None = None,
    slider: tuple[float, float] | None = None,
    step: float | None = None,
    unit: str = "",
    choices: tuple[Any, ...] = (),
    source: str = "",
    log: bool = False,
    label: str = "",
) -> Any:
    """Declare a knob as a field of a frozen dataclass; see `Param`."""
    interval = Domain.parse(domain) if domain else None
    knob = Param("", default, symbol, meaning, unit, interval, slider, step, choices, source, log, label)
    return dataclasses.field(default=default, metadata={KEY: knob})


def params(declaration: Any) -> tuple[Param, ...]:
    """The knobs of a declared class or object, in the order of declaration."""
    return tuple(
        dataclasses.replace(field.metadata[KEY], name=field.name)
        for field in dataclasses.fields(declaration)
        if KEY in field.metadata
    )


def check(declaration: Any) -> None:
    """Refuse a knob outside its domain with a ValueError that names value, range and default."""
    for knob in params(declaration):
        wrong = knob.complaint(getattr(declaration, knob.name))
        if wrong:
            raise ValueError(f"{type(declaration).__name__}: {wrong}")


def knobs(declaration: Any) -> dict[str, Any]:
    """The knobs' values by name."""
    return {knob.name: getattr(declaration, knob.name) for knob in params(declaration)}


def changed(declaration: Any) -> dict[str, Any]:
    """The knobs that differ from their defaults, by name."""
    return {knob.name: v for knob in params(declaration) if (v := getattr(declaration, knob.name)) != knob.default}


def corners(declaration: Any) -> Iterator[Mapping[str, Any]]:
    """Every corner of the box that the controls of a declared class span."""
    declared = params(declaration)
    for values in itertools.product(*(knob.ends for knob in declared)):
        yield {knob.name: value for knob, value in zip(declared, values, strict=True)}


def _written(number: float) -> str:
    return f"{number:g}".replace("inf", "∞")
