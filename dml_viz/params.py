"""Knobs: one declaration per number, from which sliders, links, checks, tables and tests derive."""

import dataclasses
import difflib
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any

POWER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]\d+)")
MINUS = re.compile(r"(?<![\w.)\]])-(?=\.?\d)")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
KEY = "knob"
NUMBER = r"-?(?:inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
INTERVAL = re.compile(rf"([(\[])({NUMBER}), ?({NUMBER})([)\]])")
ALIKE = 0.75  # similarity of two names from which on one is taken for a misspelling of the other
LONGEST_NAME = 60  # characters
PUBLISHED = re.compile(r"R@1 on (\w+) ([\d. /]+) at ([\d. /]+)")
TRUTH = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


class NearestError(ValueError):
    """A text in a link that is not allowed; ``nearest`` is the allowed value nearest to it."""

    def __init__(self, words: str, nearest: Any) -> None:
        super().__init__(words)
        self.nearest = nearest


@dataclass(frozen=True)
class Domain:
    """An interval of numbers, written as mathematics writes it: ``"(0, inf)"``, ``"[1, 1000]"``."""

    low: float
    high: float
    open_low: bool
    open_high: bool

    @classmethod
    def parse(cls, text: str) -> "Domain":
        """The interval that ``text`` writes; ValueError where it writes none."""
        if not (match := INTERVAL.fullmatch(text)):
            raise ValueError(f"{text!r} is no interval; write it like '(0, 1]' or '[1, inf)'")
        left, low, high, right = match.groups()
        return cls(float(low), float(high), left == "(", right == ")")

    def __contains__(self, value: Any) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return bool(above and below)

    def __str__(self) -> str:
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"{left}{_written(self.low)}, {_written(self.high)}{right}"


EVERYWHERE = Domain(-math.inf, math.inf, True, True)


@dataclass(frozen=True)
class Param:
    """One knob of a declaration.

    ``domain`` is where the formula is defined, and is enforced; ``slider`` is where it is worth looking. A knob is a number, a
    whole number, a switch (bool) or one of ``choices``; the type of its default decides. A run starts with ``training`` where
    that is given, and not with the default. ``only`` names another knob and values of it: with others, this knob has no effect.
    A knob of free text has a function ``reads``, which raises ValueError for a text that it cannot read, or without a control
    a ``pattern``.
    """

    name: str
    default: Any
    symbol: str
    meaning: str
    unit: str = ""
    domain: Domain = EVERYWHERE
    slider: tuple[float, float] | None = None
    step: float | None = None
    choices: tuple[Any, ...] = ()
    source: str = ""
    log: bool = False
    label: str = ""
    training: Any = None
    only: tuple[str, tuple[Any, ...]] | None = None
    reads: Callable[[str], Any] | None = None
    pattern: str = ""

    def has_effect(self, values: Mapping[str, Any]) -> bool:
        """Whether the knob has an effect, given the ``values`` of other knobs by name."""
        return self.only is None or values.get(self.only[0], self.only[1][0]) in self.only[1]

    @property
    def label_text(self) -> str:
        """The label of a control."""
        return self.label or self.name.replace("_", " ")

    @property
    def kind(self) -> type:
        """bool, int, float or str."""
        return type(self.default)

    @property
    def published(self) -> tuple[str, dict[float, float]]:
        """The data set, and R@1 in percent there by value of the knob, as published in its source; ("", {}) if it has none."""
        if not (match := PUBLISHED.search(self.source)):
            return "", {}
        recalls, values = ([float(number) for number in part.split("/")] for part in match.groups()[1:])
        return match[1], dict(zip(values, recalls, strict=True))

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.kind is bool or self.reads:
            return "a formula" if self.reads else "on or off"
        return ", ".join(map(str, self.choices)) if self.choices else str(self.domain)

    @property
    def ends(self) -> tuple[Any, ...]:
        """The extreme values of the control: both ends of the slider, every choice, or the default alone."""
        return (False, True) if self.kind is bool else self.choices or tuple(map(self.kind, self.slider or (self.default,)))

    def error_for(self, value: Any) -> str | None:
        """A sentence that says what is wrong with ``value`` and names the fix; None if the value is allowed."""
        if self.reads:
            try:
                self.reads(str(value))
            except ValueError as error:
                return str(error)
            return None
        if self.pattern:
            good = isinstance(value, str) and (value == self.default or re.fullmatch(self.pattern, value) is not None)
            return None if good else f"{self.name} = {_brief(str(value))} is no {self.meaning}"
        if self.kind is bool or self.choices:
            # Python takes True for 1 and 1 for 1.0; a choice must have the right type, too.
            good = type(value) is self.kind and (not self.choices or value in self.choices)
        else:
            number = isinstance(value, Integral if self.kind is int else Real) and not isinstance(value, bool)
            good = number and value in self.domain and math.isfinite(value)
        if good:
            return None
        whole_number = "a whole number in " if self.kind is int and not self.choices else ""
        return f"{self.name} = {_brief(value)} is not allowed; choose {whole_number}{self.allowed} (default {self.default})"

    def read(self, text: str) -> Any:
        """The value written as ``text`` in a link; ValueError if it is not allowed, `NearestError` if an allowed one is near."""
        value: Any = TRUTH.get(text.lower(), text) if self.kind is bool else text
        if self.kind in (int, float):
            with suppress(ValueError):
                number = float(text.replace("−", "-"))  # with the minus sign that figures write, too
                value = int(number) if self.kind is int and number.is_integer() else number
        wrong = self.error_for(value)
        # A link may give only values that the control can show, even where the formula allows more.
        if self.slider and (wrong or not self.slider[0] <= value <= self.slider[1]):
            ends = " to ".join(map(_written, self.slider))
            whole = ", a whole number" if self.kind is int and not isinstance(value, int) else ""
            wrong = f"{self.name} = {_brief(text)} is not allowed in a link; choose {ends}{whole} (default {self.default})"
        if wrong:
            nearest = self._nearest(value)
            raise ValueError(wrong) if nearest is None else NearestError(wrong, nearest)
        return value

    def _nearest(self, value: Any) -> Any:
        """The allowed value nearest to ``value``; None where none is near."""
        if isinstance(value, str):
            if len(value) > LONGEST_NAME:
                return None
            names = {str(choice).casefold(): choice for choice in self.choices if self.kind is str}
            return next((names[name] for name in difflib.get_close_matches(value.casefold(), names, 1, ALIKE)), None)
        if self.kind not in (int, float) or math.isnan(value):
            return None
        ends = (min(self.choices), max(self.choices)) if self.choices else (self.domain.low, self.domain.high)
        low, high = self.slider or ends
        value = min(max(value, low), high)
        if self.choices:
            return min(self.choices, key=lambda choice: abs(choice - value))
        nearest = self.kind(round(value) if self.kind is int else value) if math.isfinite(value) else None
        return None if nearest is None or self.error_for(nearest) else nearest


def param(default: Any, meaning: str, symbol: str = "", *, domain: str = "", slider: tuple[float, ...] = (), **more: Any) -> Any:
    """Declare a knob as a field of a frozen dataclass; ``more`` are fields of `Param`.

    A ``domain`` may name its unit, "(0, 80] degrees"; a ``slider`` is its ends and its step, (25, 60, 1), or its ends alone.
    Raises ValueError if the default, the slider or ``training`` is outside the domain, or a choice has not the default's type.
    """
    interval, unit = (*re.split(r"(?<=[)\]]) ", domain, maxsplit=1), "")[:2]
    within, step = Domain.parse(interval) if domain else EVERYWHERE, slider[2] if len(slider) > 2 else None
    ends = (slider[0], slider[1]) if slider else None
    knob = Param("a declared knob", default, symbol, meaning, unit, within, ends, step, **more)
    for value in (default, *knob.ends, *(() if knob.training is None else (knob.training,))):
        if wrong := knob.error_for(value):
            raise ValueError(wrong)
    return dataclasses.field(default=default, metadata={KEY: knob})


@dataclass(frozen=True)
class Declared:
    """The base of declarations whose fields are knobs; ValueError, with value, range and default, for one outside its domain."""

    def __post_init__(self) -> None:
        for knob in params(self):
            if wrong := knob.error_for(getattr(self, knob.name)):
                raise ValueError(f"{type(self).__name__}: {wrong}")


def params(declaration: Any) -> tuple[Param, ...]:
    """The knobs of a declared class or object, in the order of declaration."""
    return _of_class(declaration if isinstance(declaration, type) else type(declaration))


def param_of(declaration: Any, name: str) -> Param:
    """The knob of a declared class or object with this name."""
    return next(knob for knob in params(declaration) if knob.name == name)


@cache
def _of_class(declared: type) -> tuple[Param, ...]:
    fields = [field for field in dataclasses.fields(declared) if KEY in field.metadata]
    return tuple(dataclasses.replace(field.metadata[KEY], name=field.name) for field in fields)


def training_params(declaration: Any) -> tuple[Param, ...]:
    """The knobs of a declared class or object, with the defaults that training runs start with."""
    return tuple(k if k.training is None else dataclasses.replace(k, default=k.training) for k in params(declaration))


def defaults(declaration: Any) -> dict[str, Any]:
    """The default of every knob of a declaration, by name."""
    return {knob.name: knob.default for knob in params(declaration)}


def knobs(declaration: Any) -> dict[str, Any]:
    """The knobs' values by name."""
    return {knob.name: getattr(declaration, knob.name) for knob in params(declaration)}


def _written(number: float) -> str:
    return f"{number:g}".replace("inf", "∞")


def _brief(value: Any) -> str:
    """``value`` as a sentence repeats it, short enough to leave room for what is allowed."""
    text = repr(value)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def numerals(text: str) -> str:
    """``text`` with a true minus before its negative numbers, and powers of ten in place of exponents."""
    return MINUS.sub("−", POWER.sub(_power, text))


def _power(match: re.Match[str]) -> str:
    ten = f"10{str(int(match[2])).translate(RAISED)}"
    return {"1": ten, "-1": f"−{ten}"}.get(match[1], f"{match[1]} × {ten}")
