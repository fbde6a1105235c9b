"""Several figures as the panels of one: what a tray holds, as a link has it, and what draws it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dml_viz.app.room import ReadSetting
from dml_viz.app.short_link import long, short
from dml_viz.export.picture import Picture, SpecReader, Workshop, picture_of
from dml_viz.export.request import request_of
from dml_viz.export.training import Progress
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import MARK, RECORDED, VERSION, Spec, linked
from dml_viz.plot.style import palette

PAGE, KEY, FIGURE = "compose", "tray", "composed"
MOST = 12  # panels; assets/src/export/tray.js has the same
COLUMNS, LETTERS = (1, 2, 3, 4), ("(a)", "a", "A", "none")
FIELDS = ("figure", "page", "link", "title", "step", "changes", "view", "size", "run")
STYLE = ExportOptions(width=6.9, points=8.0, font="serif", palette="light")


@dataclass(frozen=True)
class Tray:
    """Figures in order, each as far as its link does not say it, the columns and letters of their panels, and the style of all.

    A value as a browser writes it stays as it is, so that the browser knows it again.
    """

    panels: Sequence[Mapping[str, Any]] = ()
    columns: int = 2
    letters: str = LETTERS[0]
    options: Mapping[str, Any] | None = None
    specs: tuple[Spec, ...] = field(default=(), compare=False)

    @classmethod
    def read(cls, value: Any) -> "Tray":
        """The tray of JSON ``value``; ValueError, saying what is wrong, where it is none."""
        if not isinstance(value, dict) or set(value) != {"panels", "columns", "letters", "options"}:
            raise ValueError("the tray has not panels, columns, letters and options")
        if value["columns"] not in COLUMNS or value["letters"] not in LETTERS:
            raise ValueError(f"the tray has {value['columns']!r} columns and the letters {value['letters']!r}")
        panels = value["panels"]
        if not isinstance(panels, list) or len(panels) > MOST or not all(isinstance(own, dict) for own in panels):
            raise ValueError(f"a tray has at most {MOST} figures, each as a recipe")
        if value["options"] is not None:
            ExportOptions.of(dict(value["options"]))
        # All in light colours, so that one palette recolours all.
        specs = [replace(Spec.read(json.dumps({**own, MARK: VERSION})), theme="light") for own in panels]
        return cls(**value, specs=tuple(specs))

    @classmethod
    def opened(cls, text: str) -> "Tray":
        """The tray that `text` wrote; ValueError where it did not."""
        return cls.read(json.loads(long(text).get(KEY, "null"))) if text else cls()

    @property
    def text(self) -> str:
        """As a link has it; empty for an empty tray."""
        return short({KEY: json.dumps(self.write(), separators=(",", ":"), ensure_ascii=False)}) if self.panels else ""

    def write(self) -> dict[str, Any]:
        """As JSON values."""
        return {"panels": self.panels, "columns": self.columns, "letters": self.letters, "options": self.options}

    def data(self, panels: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
        """What assets/src/components/compose.js draws, with what makes each panel."""
        return {"tray": self.write(), "panels": list(panels), "palette": palette(), "options": STYLE.write()}


@dataclass(frozen=True)
class Written(ReadSetting):
    """A tray as a link has it."""

    default: str = ""

    def read(self, text: str) -> str:
        """``text`` itself; ValueError where it is no tray."""
        Tray.opened(text)
        return text


def panel(spec: Spec, workshop: Workshop, progress: Progress) -> tuple[dict[str, Any], str]:
    """What makes the figure of ``spec`` in a browser, and its caption; ValueError or LookupError where it cannot be made."""
    made = picture_of(spec, workshop, progress)
    whole = replace(made.spec, figure=spec.figure, view=spec.view, size=spec.size, link=spec.link)
    return request_of(made, whole), whole.caption


def captioned(captions: Sequence[str]) -> str:
    """The caption of the whole."""
    return " ".join(f"({'abcdefghijkl'[place]}) {each}" for place, each in enumerate(captions))


def composed(spec: Spec, workshop: Workshop, progress: Progress) -> Picture:
    """What draws the figures of the tray in the link of ``spec``; ValueError, naming the panel, where one cannot be made."""
    reader = SpecReader(spec)
    tray = Tray.opened(reader.setting(KEY, Written()))
    reader.finish()
    if not tray.panels:
        raise ValueError("the tray is empty")
    made = []
    for place, each in enumerate(tray.specs, 1):
        try:
            made.append(panel(each, workshop, progress))
        except (ValueError, LookupError) as error:
            raise ValueError(f"figure {place} of the tray, {each.figure}: {error.args[0]}") from error
    requests, captions = zip(*made, strict=True)
    whole = replace(spec, title=spec.title or f"{len(made)} figures", caption=captioned(captions))
    return Picture("compose", {**tray.data(requests), "arrived": True}, whole)


def composition(specs: Sequence[Spec], columns: int, options: ExportOptions = STYLE) -> Spec:
    """The spec of ``specs`` as panels in ``columns``; ValueError where they are too many."""
    panels = []
    for each in specs:
        own = each.write()
        run = None if each.run is None else {RECORDED: True} if each.run.get(RECORDED) else {}
        panels.append({**{name: own[name] for name in FIELDS}, "run": run})
    value = {"panels": panels, "columns": columns, "letters": LETTERS[0], "options": options.write()}
    tray = Tray.read(value)
    return Spec(FIGURE, PAGE, linked(PAGE, {KEY: tray.text}), write_up=options.write())


def spec_of_link(link: str) -> Spec:
    """The figure that a link names behind ``#``, such as fastap?fastap.bins=20#fastap-pipeline; ValueError for none."""
    parts = urlsplit(link)
    path = parts.path.rpartition("/")[2]
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not parts.fragment:
        raise ValueError("a link names its figure behind #, such as fastap?fastap.bins=20#fastap-pipeline")
    step = next((int(text) for key, text in asked.items() if key.rpartition(".")[2] == "step" and text.isdigit()), None)
    return Spec(parts.fragment, path or "start", linked(path, asked), run=None if step is None else {}, step=step)
