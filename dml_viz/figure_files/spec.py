"""The spec of a figure: all that is needed to make it again, as one frozen declaration in every exported file."""

import json
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, TypedDict, cast
from urllib.parse import parse_qsl, urlencode

import numpy
import plotly
import torch

from dml_viz import __version__
from dml_viz.params import knobs
from dml_viz.registry import name_of
from dml_viz.threads import once
from dml_viz.training.race import Race
from dml_viz.training.run import PARTS, Run
from dml_viz.training.sweep import Sweep

VERSION = 1
MARK = "dml_viz_recipe"
RECORDED = "recorded"  # key in a run that is true if its page plays a recording
LARGEST = 1_000_000  # characters
LONGEST = 100  # characters of a figure's name, which is also the name of its file
NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}")
LINK = re.compile(r"(?:\./|[A-Za-z0-9_-]*)(?:\?[^\s\\]*)?")  # as `linked` writes it: a page of the app, and its settings
# Pages that had another address before: links and recipes of then open them, with all of their settings.
RENAMED: Mapping[str, str] = MappingProxyType(
    {"large_batches": "batches", "your_embeddings": "your_data", "your_loss": "your_formula"}
)
RANGE = re.compile(r"[xy]axis\d*\.range")
WIDEST = 20_000  # pixels of a picture on a page
KINDS: dict[Any, type] = {
    str: str,
    int | None: int,
    Mapping[str, Any]: dict,
    Mapping[str, Any] | None: dict,
    tuple[Any, ...]: tuple,
}


@once
def versions() -> Mapping[str, str]:
    """The versions of all that the numbers and the look of a figure depend on, by name."""
    libraries = {library.__name__: library.__version__ for library in (torch, numpy, plotly)}
    return MappingProxyType({"dml-viz": __version__, **libraries, "python": platform.python_version()})


class Recipe(TypedDict):
    """The spec of a figure as JSON values: what every exported file holds, from which `Spec.read` makes it again."""

    dml_viz_recipe: int
    figure: str
    page: str
    link: str
    title: str
    caption: str
    theme: str
    loss: list[object]
    run: Mapping[str, object] | None
    step: int | None
    last_step: int | None
    query: int | None
    changes: list[tuple[int, str]]
    settings: Mapping[str, object]
    versions: Mapping[str, str]
    view: Mapping[str, list[object]]
    size: Mapping[str, float]
    write_up: Mapping[str, object] | None
    address: str


@dataclass(frozen=True)
class Spec:
    """A figure by its key, and its content.

    ``link`` is the page and its settings without defaults, relative to the app ("fastap?fastap.bins=20"); ``address`` is the full
    address where the figure was exported. ``loss`` are the losses shown, ``run`` is the training shown, as `declared_run` or
    `declared_race` writes it; ``step`` is the step shown and, of a live picture, ``last_step`` the last one trained; ``changes``
    are the changes (step, text) made while it trained. ``settings`` are all settings of the page with defaults. ``view`` is the
    zoom, ``write_up`` the export options if they differ from the screen.
    """

    figure: str
    page: str
    link: str
    title: str = ""
    caption: str = ""
    theme: str = "light"
    loss: tuple[Any, ...] = ()
    run: Mapping[str, Any] | None = None
    step: int | None = None
    last_step: int | None = None
    query: int | None = None
    changes: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=versions)
    view: Mapping[str, Any] = field(default_factory=dict)
    size: Mapping[str, Any] = field(default_factory=dict)
    write_up: Mapping[str, Any] | None = None
    address: str = ""

    @property
    def link_settings(self) -> dict[str, str]:
        """The settings in the link."""
        return dict(parse_qsl(self.link.partition("?")[2], keep_blank_values=True))

    def write(self) -> Recipe:
        """The spec as JSON values."""
        return cast("Recipe", {MARK: VERSION, **{each.name: _plain(getattr(self, each.name)) for each in fields(self)}})

    @classmethod
    def read(cls, text: str) -> "Spec":
        """The spec written as JSON ``text``; ValueError, which says what is wrong, for other texts."""
        if len(text) > LARGEST:
            raise ValueError(f"a recipe has at most {LARGEST:,} characters, this has {len(text):,}")
        try:
            given = json.loads(text)
        except ValueError as error:
            raise ValueError("the recipe is cut short or was changed by hand; save the figure again") from error
        if not isinstance(given, dict) or MARK not in given:
            raise ValueError("there is no recipe of dml-viz in the JSON; save the figure again")
        if given[MARK] != VERSION:
            raise ValueError(f"the recipe is of version {given[MARK]!r}; this dml-viz reads version {VERSION}")
        known = {each.name: each for each in fields(cls)}
        missing = [name for name in ("figure", "page", "link") if not isinstance(given.get(name), str)]
        if missing:
            raise ValueError(f"the recipe does not say its {' and its '.join(missing)}")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
            if name in known and value is not None
        }
        for name, value in values.items():
            kind = KINDS[known[name].type]
            if not isinstance(value, kind) or isinstance(value, bool):
                raise ValueError(f"the recipe's {name} is {value!r}, which is no {kind.__name__}")
        read = cls(**values)
        _check(read)
        page, mark, settings = read.link.partition("?")
        return replace(read, page=address_today(read.page), link=f"{address_today(page)}{mark}{settings}")


def declared_part(thing: Any) -> dict[str, Any]:
    """A loss, method, net, data set or sampler as JSON values: its name, its title, and its knobs."""
    return {"name": name_of(thing), "title": thing.title, "knobs": knobs(thing)}


def declared_run(run: Run) -> dict[str, Any]:
    """A run as JSON values: its knobs, and its parts as `declared_part` writes them."""
    values = {name: getattr(run, name) for name, part in PARTS.items() if part.suits(run.loss) or not part.kinds}
    written = {name: value for name, value in values.items() if PARTS[name].is_in_captions(value)}
    return {name: declared_part(value) if PARTS[name].kinds else value for name, value in written.items()}


def declared_race(race: Race) -> dict[str, Any]:
    """A race as JSON values: the run that its racers share, each racer, and the number of seeds."""
    racers = [
        {
            "loss": declared_part(racer.loss),
            "changes": dict(racer.changes),
            "branch": [racer.branch.step, racer.branch.of] if racer.branch else None,
        }
        for racer in race.racers
    ]
    return {**declared_run(race.run), "seeds": race.seeds, "racers": racers}


def declared_sweep(sweep: Sweep) -> dict[str, Any]:
    """A sweep as JSON values: its own run, its axes, the number of seeds, and what is equal for all runs."""
    axes = [{"knob": axis.path, "values": list(axis.values)} for axis in sweep.axes]
    return {**declared_run(sweep.run), "seeds": sweep.seeds, "axes": axes, "equal": sweep.equal}


DECLARED: Mapping[type, Callable[[Any], dict[str, Any]]] = MappingProxyType(
    {Run: declared_run, Race: declared_race, Sweep: declared_sweep}
)


def address_today(page: str) -> str:
    """Today's address of a page, given today's or an earlier address."""
    return RENAMED.get(page, page)


def query_in(settings: Mapping[str, Any]) -> int | None:
    """The query among the ``settings`` of a page; None without one."""
    query = next((value for key, value in settings.items() if key.rpartition(".")[2] == "query"), None)
    return query if isinstance(query, int) and query >= 0 else None


def linked(path: str, settings: Mapping[str, str]) -> str:
    """The link to page ``path`` ("" for the first one) with its settings."""
    query = urlencode(sorted(settings.items()))
    return f"{path or './'}{'?' if query else ''}{query}"


def _check(spec: Spec) -> None:
    """Raise ValueError for values that have the right type but that no page writes."""
    if not NAME.fullmatch(spec.figure):
        raise ValueError(f"the recipe's figure is {spec.figure[:LONGEST]!r}; it has 1 to {LONGEST} letters, digits, - and _")
    if not LINK.fullmatch(spec.link):
        raise ValueError(
            f"the recipe's link is {spec.link[:LONGEST]!r}; it names a page of this app and its settings: page?setting=value"
        )
    for change in spec.changes:
        if not (isinstance(change, list) and [*map(type, change)] == [int, str]):
            raise ValueError(f"the recipe's changes hold {change!r}, which is no step and what was changed there")
    for name, value in spec.size.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= WIDEST:
            raise ValueError(f"the recipe's size has {name} = {value!r}; choose up to {WIDEST:,} pixels")
    for name, value in spec.view.items():
        if not isinstance(value, list) or not (name == "off" or RANGE.fullmatch(name)):
            raise ValueError(f"the recipe's view has {name} = {value!r}, which is neither a range of an axis nor what is off")


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value
