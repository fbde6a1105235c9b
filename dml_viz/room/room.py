"""The declaration of the room of an explanatory page, which page, command line, gallery and tests read.

No Streamlit here: a room is read on a page by `dml_viz.app.explainer`, and from a link alone by `dml_viz.room.link_reader`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import plotly.graph_objects as go

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import Scene
from dml_viz.engine import Job
from dml_viz.losses import Loss
from dml_viz.params import Domain, Param, params
from dml_viz.plot.display import Display
from dml_viz.room.link_version import Versions
from dml_viz.room.prediction import Prediction
from dml_viz.training.loop import Frame

S = TypeVar("S")  # settings of a room
M = TypeVar("M")  # model of a room
T = TypeVar("T")
K = TypeVar("K", bound="Setting")
NOTHING: Mapping[str, Any] = MappingProxyType({})
Knobs: TypeAlias = Callable[[Any], tuple[Param, ...]]  # of a declaration
# A function of all settings by key that returns the settings that a button changes.
Action: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Setting(Protocol):
    """The declaration of a value in a link: its default, how it is read, and what is wrong with a value."""

    @property
    def default(self) -> Any: ...

    def read(self, text: str) -> Any:
        """The value written as ``text``; ValueError, which says why, for other texts, perhaps with the ``nearest`` value."""

    def complaint(self, value: Any) -> str | None:
        """A sentence on what is wrong with ``value``; None if it is allowed."""


class ReadSetting(ABC):
    """A setting whose values are all texts that `read` accepts."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value written as ``text``; ValueError, which says why, for other texts."""

    def complaint(self, value: Any) -> str | None:
        """A sentence on what is wrong with ``value``; None if it is allowed."""
        try:
            self.read(value)
        except ValueError as error:
            return str(error)
        return None


class Ask:
    """Asks for settings by their keys in the link; ValueError for one that is not allowed. Only on a page anything is drawn."""

    opens: Mapping[str, str] = NOTHING  # what a page opens with, in place of the defaults of knobs, as a link writes it

    def of_version(self, versions: Versions) -> None:
        """Ask with the page's own defaults from now on, and read links of all of its ``versions``."""
        self.opens = versions.now

    def opened(self, key: str, knob: K) -> K:
        """``knob`` with the page's own default."""
        return replace(knob, default=knob.read(self.opens[key])) if key in self.opens else knob  # type: ignore[type-var]

    def setting(self, key: str, knob: Setting) -> Any:
        """The value of a setting without a control."""
        raise NotImplementedError

    def default(self, key: str, value: str) -> None:
        """Let the control ``key`` start at ``value`` if it was left at its default."""
        raise NotImplementedError

    def heading(self, text: str) -> None:
        """Draw Markdown above the next controls."""

    def remark(self, text: str) -> None:
        """Draw a caption below the last control, or HTML if the text begins with a tag."""

    def buttons(self, key: str, label: str, actions: Mapping[str, Action]) -> None:
        """Draw a button for each of ``actions`` by its name."""

    def bar(self) -> AbstractContextManager[Any]:
        """Draw the controls asked for inside the block above the article, side by side."""
        return nullcontext()

    def fold(self, label: str) -> AbstractContextManager[Any]:
        """Draw the controls asked for inside the block in a drawer, closed at first."""
        return nullcontext()

    def refuse(self, reason: str, instead: str) -> None:
        """Raise ValueError for settings that do not fit together; a page warns, and goes on with what ``instead`` says."""
        raise ValueError(reason)

    def offers(self, kind: type) -> bool:
        """Whether the visitor may choose ``kind``, one of the classes of a part of a run."""
        return True

    def about(self, kind: Any) -> str:
        """A sentence on ``kind``, a class of data sets, samplers or the like."""
        return str(kind.sentence)

    def drawn(self, key: str, label: str, knob: Setting, draw: Callable[[Any, bool], None]) -> Any:
        """The value of a setting with the room's own control, drawn by ``draw(value, locked)``."""
        return self.setting(key, knob)

    def knobs(self, declared: type[T], prefix: str, *, draw: bool = True, note: str = "", knobs: Knobs = params) -> T:
        """The object of class ``declared`` with the knobs of `values`; if it is refused, the default one or an error."""
        try:
            return declared(**self.values(declared, prefix, draw=draw, note=note, knobs=knobs))
        except ValueError as error:
            self.refuse(str(error), "The default is used instead.")
            return declared(**{knob.name: knob.default for knob in knobs(declared)})

    def values(
        self, declared: Any, prefix: str, names: Sequence[str] = (), *, draw: bool = True, note: str = "", knobs: Knobs = params
    ) -> dict[str, Any]:
        """The values of ``declared``'s knobs (all, or ``names`` in that order), asked for under ``prefix.name``.

        Without ``draw``, and for a knob without an effect, no control is drawn. ``knobs`` returns all with their defaults.
        """
        declared_knobs = {knob.name: knob for knob in knobs(declared)}
        values: dict[str, Any] = {}
        for name in names or declared_knobs:
            knob, key = declared_knobs[name], f"{prefix}.{name}"
            drawn = draw and knob.counts(values)
            values[name] = self.control(knob, key, note=note) if drawn else self.setting(key, knob)
        return values

    def control(self, knob: Param, key: str, *, note: str = "", named: Mapping[Any, str] = NOTHING, menu: bool = False) -> Any:
        """The value of ``knob``; its control shows choices by their names in ``named``, in a ``menu`` or side by side."""
        return self.setting(key, knob)

    def choice(
        self,
        key: str,
        label: str,
        options: tuple[str, ...],
        default: str,
        *,
        named: Mapping[Any, str] = NOTHING,
        note: str = "",
        menu: bool = False,
    ) -> str:
        """One of ``options``; see `control`."""
        knob = Param(key, default, "", "", label=label, choices=options)
        return str(self.control(knob, key, note=note, named=named, menu=menu))

    def number(self, key: str, label: str, low: int, high: int, default: int, *, note: str = "") -> int:
        """A whole number from ``low`` to ``high``."""
        domain = Domain(low, high, False, False)
        knob = Param(key, default, "", "", label=label, domain=domain, slider=(low, high), step=1)
        return int(self.control(knob, key, note=note))


@dataclass(frozen=True, eq=False)
class Shown:
    """The subject of a page when it asks for its settings: a scene, or the ``embeddings`` of a run or a file.

    Those of a run are at the ``step`` of ``live``, None for its newest step. ``at`` returns the embeddings of the same points at
    another frame.
    """

    embeddings: Embeddings | None = None
    live: Job | None = None
    step: int | None = None
    at: Callable[[Frame], Embeddings] | None = None

    @property
    def of_run(self) -> bool:
        """Whether the subject is a run or a file, and no scene."""
        return self.embeddings is not None

    @property
    def size(self) -> int:
        """The number of points of a run or a file; 0 for a scene."""
        return 0 if self.embeddings is None else len(self.embeddings.y)


class NoModelError(ValueError):
    """A batch for which the room has no model; the page shows the message instead of its figures."""


@dataclass(frozen=True)
class SceneOptions:
    """The scene with which a page opens, and the roles of its points.

    ``default`` is a preset of ``dml_viz.embedding.scene`` or of the room's own ``scenes``. Clicks give points the ``roles``;
    ``picked`` have them at first. ``proxies`` adds one for each class; ``overlay`` names the script that draws around the points.
    """

    default: str = "separated"
    overlay: str = "arrows"
    roles: tuple[str, ...] = ("query",)
    picked: tuple[int, ...] = ()
    proxies: bool = False
    scenes: Callable[[], Mapping[str, Scene]] = dict
    height: int = 460


@dataclass(frozen=True, eq=False)
class Preset:
    """A button: its label, and the settings that it sets, by key. ``says`` returns a sentence on a model then, as Markdown."""

    label: str
    settings: Mapping[str, Any]
    says: Callable[[Any], str] | None = None

    @classmethod
    def of_scene(
        cls, key: str, label: str, says: Callable[[Any], str] | None, scene: str, others: Mapping[str, Any] = NOTHING, **own: Any
    ) -> "Preset":
        """A preset on the unchanged ``scene``, with the settings ``own`` below ``key`` and ``others`` by their whole keys."""
        here = {"scene": scene, "at": "", "dim": 2, **own}
        return cls(label, {"subject": "scene", **{f"{key}.{name}": value for name, value in here.items()}, **others}, says)


@dataclass(frozen=True)
class Component:
    """A figure that our own script draws: the ``module`` of assets/src/components and its ``data``.

    With ``arrays``, both are sent as one message (dml_viz/data/wire.py).
    """

    module: str
    data: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] | None = None


@dataclass(frozen=True)
class Room(Generic[S, M]):
    """An explanatory page: its settings, its model of a batch under these settings, and the model's figures.

    ``key`` begins the keys of its settings in a link, ``prefix`` the names of its figures in files. ``settings`` asks for all
    settings; ``of_roles`` returns those of a scene's roles, a tuple of indices. ``model`` may raise `NoModelError`. ``losses``
    returns those that the figures show, ``drawn`` the losses and JSON values for the scene's overlay. ``lesson`` is the preset
    that the page is about; without ``presets_stay`` the sentence of a preset goes with the next change. ``from_run`` returns the
    embeddings of a run or a file, with all else that the model needs, and their settings. ``components`` are the figures that our
    own scripts draw in place of Plotly, of a scene together with its editor. ``predictions`` are the questions of the page. It
    ``opens`` with these settings where its link has none; they are in the link then, and links without them keep the defaults.
    """

    key: str
    title: str
    settings: Callable[[Ask, Shown], S]
    model: Callable[[Embeddings, S], M]
    figures: Mapping[str, Callable[[M, Display], go.Figure]]
    scene: SceneOptions = SceneOptions()
    of_roles: Callable[[tuple[int, ...]], Mapping[str, Any]] = lambda _: NOTHING
    losses: Callable[[S], Sequence[Loss]] = lambda settings: ()
    drawn: Callable[[S], tuple[Mapping[str, Loss], Mapping[str, Any]]] = lambda _: (NOTHING, NOTHING)
    presets: tuple[Preset, ...] = ()
    presets_called: str = "Break it"
    presets_stay: bool = True
    lesson: Preset | None = None
    prefix: str = ""
    from_run: Callable[[Shown, S], tuple[Embeddings, S]] = lambda shown, own: (cast(Any, shown.embeddings), own)
    click: Callable[[M, int], Mapping[str, Any]] | None = None  # the settings that a click on a point makes
    bar: bool = False  # whether some settings are asked above the article
    clickable: tuple[str, ...] = ()  # the figures whose points can be clicked
    components: Mapping[str, Callable[[M, Display], Component]] = field(default_factory=dict)
    predictions: tuple[Prediction[M], ...] = ()
    opens: Mapping[str, Any] = field(default_factory=dict)
    old_keys: Mapping[str, str] = field(default_factory=dict)  # what settings of older links are called now

    @property
    def begins(self) -> str:
        """The beginning of the names of its figures."""
        return self.prefix or self.key


def figure_name(room: Room[Any, Any], name: str) -> str:
    """The name of a figure of ``room`` in files and links."""
    return f"{room.begins}-{name}"
