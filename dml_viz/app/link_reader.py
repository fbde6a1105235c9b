"""Settings read from a link alone, as the command line does. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from dml_viz.app.room import Action, Room, Setting, Shown
from dml_viz.params import Domain, Param, params

T = TypeVar("T")


class LinkReader:
    """Answers what a room asks for from the settings of a link, or with defaults; ValueError for what cannot be had."""

    def __init__(self, link: Mapping[str, str]) -> None:
        self._link = link
        self._defaults: dict[str, str] = {}

    def heading(self, text: str) -> None:
        """Nothing is drawn."""

    def remark(self, text: str) -> None:
        """Nothing is drawn."""

    def setting(self, key: str, knob: Setting) -> Any:
        """The value that the link writes under ``key``."""
        return knob.read(self._link[key]) if key in self._link else self._defaults.get(key, knob.default)

    def bar(self) -> AbstractContextManager[Any]:
        """Nothing is drawn."""
        return nullcontext()

    def drawn(self, key: str, label: str, knob: Setting, draw: Callable[[Any, bool], None]) -> Any:
        """The value that the link writes under ``key``."""
        del label, draw
        return self.setting(key, knob)

    def knobs(self, declared: type[T], prefix: str, *, draw: bool = True) -> T:
        """The object of class ``declared`` with the knobs that the link writes under ``prefix.name``."""
        return declared(**self.values(declared, prefix, [knob.name for knob in params(declared)]))

    def values(self, declared: Any, prefix: str, names: Sequence[str], *, note: str = "") -> dict[str, Any]:
        """The values of the knobs ``names`` of ``declared``."""
        del note
        knobs = {knob.name: knob for knob in params(declared)}
        return {name: self.setting(f"{prefix}.{name}", knobs[name]) for name in names}

    def control(self, knob: Param, key: str, *, note: str = "") -> Any:
        """The value of ``knob``."""
        del note
        return self.setting(key, knob)

    def choice(
        self, key: str, label: str, options: tuple[str, ...], default: str, *,
        named: Mapping[str, str] | None = None, note: str = "", menu: bool = False,
    ) -> str:  # fmt: skip
        """One of ``options``."""
        del named, note, menu
        return str(self.setting(key, Param(key, default, "", label, choices=options)))

    def number(self, key: str, label: str, low: int, high: int, default: int, *, note: str = "") -> int:
        """A whole number from ``low`` to ``high``."""
        del note
        return int(self.setting(key, Param(key, default, "", label, domain=Domain(low, high, False, False))))

    def default(self, key: str, value: str) -> None:
        """Let ``key`` have the default ``value``."""
        self._defaults[key] = value

    def buttons(self, key: str, label: str, actions: Mapping[str, Action]) -> None:
        """Nothing is drawn."""


class MovedReader(LinkReader):
    """As the link says, but for a slider that is being moved to ``value``, or to ``mark`` where it is one of marks.

    ``slider`` is its key as Streamlit writes it in the page.
    """

    def __init__(self, link: Mapping[str, str], slider: str, value: str, mark: str) -> None:
        super().__init__(link)
        self._slider, self._value, self._mark = slider, value, mark
        self._asked = False

    def setting(self, key: str, knob: Setting) -> Any:
        """The value that the slider has come to, or that the link writes under ``key``."""
        if key.replace(".", "-") != self._slider:
            return super().setting(key, knob)
        self._asked = True
        return knob.read(self._mark if isinstance(knob, Param) and knob.log else self._value)

    def settings(self, room: Room[Any, Any], shown: Shown) -> Any:
        """The settings of ``room``; LookupError where the slider is none of them."""
        settings = room.settings(self, shown)
        if not self._asked:
            raise LookupError(self._slider)
        return settings
