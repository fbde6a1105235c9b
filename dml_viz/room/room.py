"""The declaration of the room of an explanatory page, which page, command line, gallery and tests read.

No Streamlit here: a room is read on a page by `dml_viz.app.explainer`, and from a link alone by `dml_viz.room.link_reader`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

import numpy as np
import plotly.graph_objects as go

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.losses import Loss
from dml_viz.plot.canvas import Display
from dml_viz.room.ask import NOTHING, OF_THE_FRAME, Ask, as_link
from dml_viz.room.component_data import ComponentData, NoOverlay, Overlay
from dml_viz.room.prediction import Prediction
from dml_viz.room.scene_settings import SceneOptions
from dml_viz.room.source import NO_SOURCE, Live, Source, Subject
from dml_viz.room.words import FirstFigure

S = TypeVar("S")  # settings of a room
M = TypeVar("M")  # model of a room
NO_POINTS = preset_embeddings("separated")  # for rooms whose figures are of their settings alone


def _nothing(*_: Any) -> Any:
    """None, for a page without settings or without a model."""


class NoModelError(ValueError):
    """A batch for which the room has no model; the page shows the message instead of its figures."""


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
    data: ComponentData
    arrays: Mapping[str, np.ndarray] | None = None


@dataclass(frozen=True)
class Room(Generic[S, M]):
    """An explanatory page: its settings, its model of a batch under these settings, and the model's figures.

    ``key`` begins the keys of its settings in a link, ``prefix`` the names of its figures in files. ``settings`` asks for all
    settings; ``of_roles`` returns those of a scene's roles, a tuple of indices. ``model`` may raise `NoModelError`. ``losses``
    returns those that the figures show, ``losses_of`` those of a figure that shows others, a scene being named as the page,
    ``variations`` words for captions on what is otherwise than in these losses, ``captions`` words in their
    place on what a figure shows that shows none of the page's points, ``drawn`` the losses and JSON values for the scene's
    overlay. ``lesson`` is the preset that the page is about; without ``presets_stay`` the sentence of a preset goes with
    the next change. ``from_run`` returns the embeddings of a run or a file, with all else that the model needs, and their
    settings. ``components`` are the figures that our own scripts draw in place of Plotly, of a scene together with its editor;
    ``answers`` return what such a script asks about the model later, with arrays. ``predictions`` are the questions of the page.
    It ``opens`` with these settings where its link has none; they are in the link then, and links without them keep the
    defaults.
    """

    key: str
    title: str
    settings: Callable[[Ask, Subject], S] = _nothing
    model: Callable[[Embeddings, S], M] = _nothing
    figures: Mapping[str, Callable[[M, Display], go.Figure]] = field(default_factory=dict)
    source: Source[Any] = NO_SOURCE
    of_roles: Callable[[tuple[int, ...]], Mapping[str, Any]] = lambda _: NOTHING
    losses: Callable[[S], Sequence[Loss]] = lambda settings: ()
    losses_of: Mapping[str, Callable[[S], Sequence[Loss]]] = field(default_factory=dict)
    variations: Callable[[S], Sequence[str]] = lambda settings: ()
    captions: Mapping[str, Callable[[S], str]] = field(default_factory=dict)
    drawn: Callable[[S], tuple[Mapping[str, Loss], Overlay]] = lambda _: (NOTHING, NoOverlay())
    presets: tuple[Preset, ...] = ()
    presets_heading: str = "Break it"
    presets_stay: bool = True
    lesson: Preset | None = None
    prefix: str = ""
    from_run: Callable[[Subject, S], tuple[Embeddings, S]] = lambda subject, settings: (cast(Any, subject.embeddings), settings)
    click: Callable[[M, int], Mapping[str, Any]] | None = None  # the settings that a click on a point makes
    bar: bool = False  # whether some settings are asked above the article
    clickable: tuple[str, ...] = ()  # the figures whose points can be clicked
    components: Mapping[str, Callable[[M, Display], Component]] = field(default_factory=dict)
    answers: Mapping[str, Callable[[M, Mapping[str, str]], tuple[Any, Mapping[str, np.ndarray]]]] = field(default_factory=dict)
    predictions: tuple[Prediction[M], ...] = ()
    opens: Mapping[str, Any] = field(default_factory=dict)
    words: FirstFigure | None = None  # of the scene that is dragged
    live: Callable[[S], Live] | None = None  # the live picture of what the settings train
    old_keys: Mapping[str, str] = field(default_factory=dict)  # what settings of older links are called now

    @property
    def taken_along(self) -> bool:
        """Whether its page can be a file that needs no server: it has a scene, or a picture of what trains."""
        return self.live is not None or isinstance(self.source, SceneOptions)

    @property
    def figure_prefix(self) -> str:
        """The beginning of the names of its figures."""
        return self.prefix or self.key

    def opened(self, link: Mapping[str, str]) -> dict[str, str]:
        """The settings of ``link``, and those that its page opens with where it has none of the page's own."""
        return {**({} if link.keys() - OF_THE_FRAME else as_link(self.opens)), **link}

    def losses_by_figure(self, settings: S) -> dict[str, Sequence[Loss]]:
        """The losses of figures that do not show those of the page, by the figures' names."""
        return {name if name == self.key else figure_name(self, name): of(settings) for name, of in self.losses_of.items()}

    def captions_by_figure(self, settings: S) -> dict[str, str]:
        """What figures show that show none of the page's points, by the figures' names."""
        return {figure_name(self, name): of(settings) for name, of in self.captions.items()}

    def batch(self, ask: Ask, subject: Subject) -> tuple[Embeddings, S]:
        """The embeddings of ``subject``, some scene without one, and the settings with the roles of its points."""
        settings = self.settings(ask, subject)
        if subject.scene:
            points = subject.scene.scene.subject(subject.scene.provenance)
            return points, replace(cast(Any, settings), **self.of_roles(subject.scene.picked))
        return self.from_run(subject, settings) if subject.of_run else (NO_POINTS, settings)


def figure_name(room: Room[Any, Any], name: str) -> str:
    """The name of a figure of ``room`` in files and links."""
    return f"{room.figure_prefix}-{name}"


@dataclass
class ProvenanceNotes:
    """The notes of one rerun of a page: title, path, newest claim, the losses of its figures, and the scene, or a run's step.

    ``variations`` say what is otherwise than in these losses, ``setting`` is the key of the step in the link.
    """

    title: str
    path: str
    claim: str = ""
    losses: tuple[Loss, ...] = ()
    losses_by_figure: Mapping[str, Sequence[Loss]] = field(default_factory=dict)
    variations: tuple[str, ...] = ()
    captions: Mapping[str, str] = field(default_factory=dict)  # of figures that show none of the page's points
    scene: str = ""
    run: Mapping[str, Any] | None = None
    step: int | None = None
    changes: tuple[Any, ...] = ()
    setting: str = "step"
