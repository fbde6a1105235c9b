"""Figures in order as the panels of one picture: a tray, and its text in a link."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from dml_viz.figure_files.declared import DECLARED
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import MARK, RECORDED, VERSION, Spec, linked
from dml_viz.plot.style import palette
from dml_viz.room.ask import ReadSetting
from dml_viz.room.component_data import ComposeData, Fault, PictureRequest, TrayData, TrayPanel
from dml_viz.room.short_link import compress, expand

PAGE, KEY, FIGURE = "compose", "tray", "composed"
MOST: int = DECLARED["mostPanels"]
COLUMNS, LETTERS = (1, 2, 3, 4), ("(a)", "a", "A", "none")
# What names panels in a caption; those without a letter are counted.
CAPTION_SIGNS: Mapping[str, Callable[[int], str]] = {
    "(a)": lambda place: f"({ascii_lowercase[place]})",
    "a": lambda place: f"{ascii_lowercase[place]}:",
    "A": lambda place: f"{ascii_uppercase[place]}:",
    "none": lambda place: f"Panel {place + 1}:",
}
FIELDS = ("figure", "page", "link", "title", "step", "last_step", "changes", "view", "size", "run")
STYLE = ExportOptions(width=6.9, points=8.0, font="serif", palette="light")


@dataclass(frozen=True)
class Tray:
    """Figures in order, the columns and letters of their panels, and the style of all.

    Values that a browser wrote are not changed, so that the browser recognises them.
    """

    panels: Sequence[TrayPanel] = ()
    columns: int = 2
    letters: str = LETTERS[0]
    options: Mapping[str, Any] | None = None
    specs: tuple[Spec, ...] = field(default=(), compare=False)

    @classmethod
    def read(cls, value: Any) -> "Tray":
        """The tray of JSON ``value``; ValueError, which says what is wrong, for other values."""
        if not isinstance(value, dict) or set(value) != {"panels", "columns", "letters", "options"}:
            raise ValueError("the tray has not panels, columns, letters and options")
        if value["columns"] not in COLUMNS or value["letters"] not in LETTERS:
            raise ValueError(f"the tray has {value['columns']!r} columns and the letters {value['letters']!r}")
        panels = value["panels"]
        if not isinstance(panels, list) or len(panels) > MOST or not all(isinstance(own, dict) for own in panels):
            raise ValueError(f"a tray has at most {MOST} figures, each as a recipe")
        if value["options"] is not None:
            ExportOptions.of(dict(value["options"]))
        # All in light colours, so that one palette can recolour all.
        specs = [replace(Spec.read(json.dumps({**own, MARK: VERSION})), theme="light") for own in panels]
        return cls(**value, specs=tuple(specs))

    @classmethod
    def opened(cls, text: str) -> "Tray":
        """The tray that `Tray.text` wrote as ``text``; ValueError for other texts."""
        return cls.read(json.loads(expand(text).get(KEY, "null"))) if text else cls()

    @property
    def text(self) -> str:
        """The text of the tray in a link; empty for an empty tray."""
        return compress({KEY: json.dumps(self.write(), separators=(",", ":"), ensure_ascii=False)}) if self.panels else ""

    def write(self) -> TrayData:
        """The tray as JSON values."""
        return {"panels": self.panels, "columns": self.columns, "letters": self.letters, "options": self.options}

    def data(self, panels: Sequence[PictureRequest | Fault | None]) -> ComposeData:
        """The data of assets/src/components/compose.js, with the request of each panel."""
        return {"tray": self.write(), "panels": list(panels), "palette": palette(), "options": STYLE.write()}


@dataclass(frozen=True)
class TrayText(ReadSetting):
    """The text of a tray in a link."""

    default: str = ""

    def read(self, text: str) -> str:
        """``text`` itself; ValueError if it is no tray."""
        Tray.opened(text)
        return text


def panels_of(spec: Spec) -> tuple[Spec, ...]:
    """The specs of the panels of the composed figure of ``spec``."""
    return Tray.opened(spec.link_settings.get(KEY, "")).specs


def captioned(captions: Sequence[str], letters: str) -> str:
    """The caption of the whole composition, whose panels have ``letters``, one of `LETTERS`."""
    return " ".join(f"{CAPTION_SIGNS[letters](place)} {each}" for place, each in enumerate(captions))


def composition(specs: Sequence[Spec], columns: int, options: ExportOptions = STYLE) -> Spec:
    """The spec of ``specs`` as panels in ``columns``; ValueError for too many."""
    panels = []
    for each in specs:
        own: Mapping[str, object] = each.write()
        run = None if each.run is None else {RECORDED: True} if each.run.get(RECORDED) else {}
        panels.append({**{name: own[name] for name in FIELDS}, "run": run})
    value = {"panels": panels, "columns": columns, "letters": LETTERS[0], "options": options.write()}
    tray = Tray.read(value)
    return Spec(FIGURE, PAGE, linked(PAGE, {KEY: tray.text}), write_up=options.write())
