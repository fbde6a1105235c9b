"""What the room of an explanatory page declares. Page, command line, gallery and tests read the same declaration.

No Streamlit here: a room is read on a page by `dml_viz.app.explainer`, and from a link alone by `dml_viz.app.link_reader`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import plotly.graph_objects as go

from dml_viz.app.predictions import Prediction
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import Scene
from dml_viz.engine import Job
from dml_viz.losses import Loss
from dml_viz.params import Domain, Param, params
from dml_viz.plot.display import Display
from dml_viz.training.loop import Frame

S = TypeVar("S")  # settings of a room
M = TypeVar("M")  # model of a room
T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})
# Given all settings by key, the settings that a button changes.
Action: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Setting(Protocol):
    """What a link has to know of a value: its default, how it is read, and what is wrong with one."""

    @property
    def default(self) -> Any: ...

    def read(self, text: str) -> Any:
        """The value written as ``text``; ValueError, saying why, where there is none, and perhaps ``nearest``, what is."""

    def complaint(self, value: Any) -> str | None:
        """What is wrong with ``value``; None where nothing is."""


class ReadSetting(ABC):
    """A setting whose values are the texts that it can read."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value written as ``text``; ValueError, saying why, where there is none."""

    def complaint(self, value: Any) -> str | None:
        """What is wrong with ``value``."""
        try:
            self.read(value)
        except ValueError as error:
            return str(error)
        return None


class Ask:
    """Asks for settings by their keys in the link; ValueError for one that cannot be had. Nothing is drawn but on a page."""

    def setting(self, key: str, knob: Setting) -> Any:
        """The value of a setting without a control."""
        raise NotImplementedError

    def default(self, key: str, value: str) -> None:
        """Let the control ``key`` start at ``value`` where it was left at its default."""
        raise NotImplementedError

    def heading(self, text: str) -> None:
        """Draw Markdown above the next controls."""

    def remark(self, text: str) -> None:
        """Draw a caption, or HTML where the text begins with a tag, below the last control."""

    def buttons(self, key: str, label: str, actions: Mapping[str, Action]) -> None:
        """Draw a button for each of ``actions`` by its name."""

    def bar(self) -> AbstractContextManager[Any]:
        """Ask above the article, side by side, for what is asked within."""
        return nullcontext()

    def drawn(self, key: str, label: str, knob: Setting, draw: Callable[[Any, bool], None]) -> Any:
        """The value of a setting with a control of the room's own, drawn by ``draw`` given the value and whether it is locked."""
        return self.setting(key, knob)

    def knobs(self, declared: type[T], prefix: str, *, draw: bool = True) -> T:
        """The object of class ``declared`` whose knobs are asked for under ``prefix.name``; without ``draw``, not on the page."""
        return declared(**self.values(declared, prefix, [knob.name for knob in params(declared)]))

    def values(self, declared: Any, prefix: str, names: Sequence[str], *, note: str = "") -> dict[str, Any]:
        """The values of the knobs ``names`` of ``declared``, asked for under ``prefix.name``."""
        knobs = {knob.name: knob for knob in params(declared)}
        return {name: self.control(knobs[name], f"{prefix}.{name}", note=note) for name in names}

    def control(self, knob: Param, key: str, *, note: str = "") -> Any:
        """The value of ``knob``."""
        return self.setting(key, knob)

    def choice(
        self, key: str, label: str, options: tuple[str, ...], default: str, *,
        named: Mapping[str, str] | None = None, note: str = "", menu: bool = False,
    ) -> str:  # fmt: skip
        """One of ``options``, which the control calls as ``named`` says; as a menu or side by side."""
        return str(self.setting(key, Param(key, default, "", label, choices=options)))

    def number(self, key: str, label: str, low: int, high: int, default: int, *, note: str = "") -> int:
        """A whole number from ``low`` to ``high``."""
        return int(self.setting(key, Param(key, default, "", label, domain=Domain(low, high, False, False))))


@dataclass(frozen=True, eq=False)
class Shown:
    """What a page looks at when it asks for its settings: ``size`` points of a scene, or of a run or a file (``of_run``).

    A room with `Room.from_run` gets these ``embeddings``, too, of a run at the ``step`` of ``live``; None is its newest step.
    ``at`` gives those of the same points at another frame.
    """

    size: int
    of_run: bool
    embeddings: Embeddings | None = None
    live: Job | None = None
    step: int | None = None
    at: Callable[[Frame], Embeddings] | None = None


class NoModelError(ValueError):
    """A batch of which the room has no model; the message is what the page says instead of its figures."""


@dataclass(frozen=True)
class SceneOptions:
    """The scene that a page opens with, and who plays which role in it.

    ``default`` is a preset of ``dml_viz.embedding.scene`` or of the room's own ``scenes``; ``roles`` are given by clicks, first
    to ``picked``; ``proxies`` adds one for each class; ``overlay`` names the script that draws around the points.
    """

    default: str = "separated"
    overlay: str = "arrows"
    roles: tuple[str, ...] = ("query",)
    picked: tuple[int, ...] = ()
    proxies: bool = False
    scenes: Callable[[], Mapping[str, Scene]] = dict
    height: int = 460
    old_key: str = ""  # the key of the scene in older links


@dataclass(frozen=True, eq=False)
class Preset:
    """A button: its label, and the settings that it makes, by key. ``says`` is what a model shows then, as Markdown."""

    label: str
    settings: Mapping[str, Any]
    says: Callable[[Any], str] | None = None

    @classmethod
    def of_scene(
        cls, key: str, label: str, says: Callable[[Any], str] | None, scene: str, others: Mapping[str, Any] = NOTHING, **own: Any
    ) -> "Preset":  # fmt: skip
        """A preset on ``scene`` as it stands, with the settings ``own`` below ``key`` and ``others`` by their whole keys."""
        here = {"scene": scene, "at": "", "dim": 2, **own}
        return cls(
            label, {"subject": "scene", **{f"{key}.{name}": value for name, value in here.items()}, **others}, says
        )


@dataclass(frozen=True)
class Component:
    """What a script of our own draws: the ``module`` of assets/src/components and its ``data``.

    ``arrays`` go with the data where both are one message (dml_viz/data/wire.py).
    """

    module: str
    data: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] | None = None


@dataclass(frozen=True)
class Room(Generic[S, M]):
    """An explanatory page: its settings, the model that they make of a batch, and the model's figures.

    ``key`` begins the keys of its settings in a link, ``prefix`` the names of its figures in files. ``settings`` asks for all
    settings; ``with_roles`` puts in who plays which role of a scene, as a tuple of indices. ``model`` may raise `NoModelError`.
    ``losses`` are those that the figures show; ``drawn`` is what the scene's overlay needs: losses to follow, and JSON values.
    ``lesson`` is the preset that the page is about. ``from_run`` gives the embeddings of a run or a file with what else of it
    the model needs, and the settings that go with them. ``components`` are the figures that scripts of our own draw in place of
    Plotly, of a scene together with its editor. ``predictions`` are what the page asks its visitors to predict.
    """

    key: str
    title: str
    settings: Callable[[Ask, Shown], S]
    model: Callable[[Embeddings, S], M]
    figures: Mapping[str, Callable[[M, Display], go.Figure]]
    scene: SceneOptions = SceneOptions()
    with_roles: Callable[[S, Any], S] = lambda settings, roles: settings
    losses: Callable[[S], Sequence[Loss]] = lambda settings: ()
    drawn: Callable[[S], tuple[Mapping[str, Loss], Mapping[str, Any]]] = lambda _: (NOTHING, NOTHING)
    presets: tuple[Preset, ...] = ()
    presets_called: str = "Break it"
    lesson: Preset | None = None
    prefix: str = ""
    from_run: Callable[[Shown, S], tuple[Embeddings, S]] | None = None
    click: Callable[[M, int], Mapping[str, Any]] | None = None  # the settings that a click on a point makes
    bar: bool = False  # whether some settings are asked above the article
    clickable: tuple[str, ...] = ()  # the figures whose points can be clicked
    components: Mapping[str, Callable[[M, Display], Component]] = field(default_factory=dict)
    predictions: tuple[Prediction[M], ...] = ()

    @property
    def begins(self) -> str:
        """What the names of its figures begin with."""
        return self.prefix or self.key


def figure_name(room: Room[Any, Any], name: str) -> str:
    """The name of a figure of ``room`` in files and links."""
    return f"{room.begins}-{name}"
