"""One rerun of a page: the settings of its address, those written to it, complaints, and the controls drawn."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from dml_viz.params import Param
from dml_viz.room.ask import Setting
from dml_viz.room.markdown import clip_and_escape, link_settings_phrase
from dml_viz.room.short_link import SHORT, expand
from dml_viz.room.task import ActiveTask, Task


@dataclass
class Visit:
    """One rerun of a page, whose visitor has ``arrived`` by a link, or has ``entered`` the page by a link or by the menu.

    ``offered`` are the labels, by key, of the controls that a lesson may lock or hide; ``named`` are the names of their values.
    ``memory`` has the last values of the controls of all pages, ``defaults`` their defaults on the page that stored the values.
    """

    arrived: bool
    entered: bool
    active_task: ActiveTask
    memory: dict[str, Any]
    defaults: dict[str, Any]
    link: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)
    offered: dict[str, str] = field(default_factory=dict)
    named: dict[str, Mapping[Any, str]] = field(default_factory=dict)
    unshared: set[str] = field(default_factory=set)
    opened_with: frozenset[str] = frozenset()  # settings with which the page opens, so that their defaults are written, too

    @property
    def shared(self) -> dict[str, str]:
        """The settings in the address that mean the same to other visitors, and later."""
        return {key: text for key, text in self.written.items() if key not in self.unshared}

    def copied(self) -> "Visit":
        """A copy without a link to read, for a fragment of the page that begins here."""
        copies = {name: copy(getattr(self, name)) for name in ("written", "known", "offered", "named", "unshared")}
        return replace(self, arrived=False, entered=False, **copies)

    def load(self, query: dict[str, list[str]]) -> None:
        """Read the settings of an address, also those in its short form, and its lesson."""
        if SHORT in query:
            try:
                self.link = expand(query.pop(SHORT)[-1])
            except ValueError as error:
                self.complaints.append(str(error))
        self.link |= {name: values[-1] for name, values in query.items()}
        if twice := [name for name, values in query.items() if len(set(values)) > 1]:
            self.complaints.append(f"{link_settings_phrase(twice)} given more than once: the last counts")
        self.active_task.task, wrong = Task.read(self.link)
        self.active_task.fixed = {}
        self.complaints += [clip_and_escape(each, 3) for each in wrong]

    def read(self, key: str, knob: Setting) -> Any:
        """The value of a setting in the link, else its default; a value that cannot be is a complaint."""
        if key not in self.link:
            return knob.default
        try:
            return knob.read(self.link[key])
        except ValueError as error:
            value = getattr(error, "nearest", knob.default)
            substitute = f": {value} is taken" if isinstance(knob, Param) and hasattr(error, "nearest") else ""
            self.complaints.append(clip_and_escape(f"{error}{substitute}", 4))
            return value

    def check(self) -> None:
        """Complain of the settings and controls in the link that the page, now drawn, does not have."""
        if unknown := [name for name in self.link if name not in self.known]:
            self.complaints.append(f"{link_settings_phrase(unknown)} not known here and left out")
        self.complaints += [clip_and_escape(wrong, 3) for wrong in self.active_task.settle(self.offered)]
