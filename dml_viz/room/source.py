"""What a page is of: a source asks for it in a link and gets it; and the live picture of what trains. No Streamlit here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, cast
from weakref import ReferenceType

from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.engine import Job
from dml_viz.engine.results import Result
from dml_viz.losses import Loss
from dml_viz.params import Domain, Param
from dml_viz.room.ask import NEWEST, Ask
from dml_viz.room.scene_settings import SceneSettings
from dml_viz.training.frame import Frame
from dml_viz.training.race import MOST_RACERS, Race
from dml_viz.training.run import STEPS_CAP, Run
from dml_viz.training.sweep import Sweep

F = TypeVar("F")  # what a source asks for
NO_POINT = -1


class ClosedRunError(LookupError):
    """The run of a subject is closed, so that nothing more can be read of it."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is of: a ``scene``; the ``embeddings`` of a run or of a file; a visitor's ``files`` or ``images``; or results.

    Embeddings of a run are at the ``step`` of ``job``, None for its newest step; ``at`` returns those of the same points at
    another frame. The job is referred to weakly: figures on offer outlive it, and do not keep its history. ``names`` are the
    names of the classes, ``caption`` the name of a scene or of a file. ``results`` are those of the runs of a sweep, which is
    ``trained``.
    """

    embeddings: Embeddings | None = None
    job: ReferenceType[Job] | None = None
    step: int | None = None
    at: Callable[[Frame], Embeddings] | None = None
    scene: SceneSettings | None = None
    names: tuple[str, ...] = ()
    caption: str = ""
    trained: Run | Race | Sweep | None = None
    results: Sequence[Result | None] = ()
    files: tuple[Scored, ...] = ()
    images: OwnImages | None = None

    @property
    def live(self) -> Job | None:
        """The job of the run; None of a scene or a file, and `ClosedRunError` where it is gone."""
        if self.job is None:
            return None
        if (live := self.job()) is None:
            raise ClosedRunError("the run is closed")
        return live

    @property
    def of_run(self) -> bool:
        """Whether the subject is a run or a file, and no scene."""
        return self.embeddings is not None

    @property
    def size(self) -> int:
        """The number of points of a run or a file; 0 for a scene."""
        return 0 if self.embeddings is None else len(self.embeddings.y)


class Host(Protocol):
    """What trains the runs of a source and has the visitor's files; ValueError, which says why, for what cannot be had."""

    def train(self, trained: Run | Race, step: int, plane: int = 0, last: int | None = None) -> Job:
        """The job of a run or a race, trained to ``step``, drawn in the plane of step ``plane``, 0: each step in its own.

        With ``last`` it is trained on to that step, and no further.
        """

    def train_sweep(self, sweep: Sweep) -> Sequence[Result | None]:
        """The result of each run of ``sweep``, trained to its end; None for a run that stopped before."""

    def own_file(self, fingerprint: str) -> Scored:
        """The visitor's file with that fingerprint."""

    def own_images(self, name: str) -> OwnImages:
        """The visitor's images with that name in a run."""


class Source(Protocol[F]):
    """Where a page's subject comes from: a scene, a run, a file, the results of a sweep, or nothing."""

    def form(self, ask: Ask) -> F:
        """What the settings ask for; ValueError for one that is not allowed."""

    def resolve(self, form_values: F, host: Host) -> Subject:
        """The subject of ``form_values``, which ``host`` trains or has; ValueError if it cannot be had."""


class NoSource:
    """The source of a page whose figures are of its settings alone."""

    def form(self, ask: Ask) -> None:
        """Nothing."""

    def resolve(self, form_values: None, host: Host) -> Subject:
        """A subject without a part."""
        return Subject()


NO_SOURCE = NoSource()


@dataclass(frozen=True)
class ViewSettings:
    """The settings of a link for what is seen of the job ``name``: its step and the point marked.

    A session has one job in each ``slot``, "run" or "race".
    """

    name: str
    step: Param
    point: Param
    slot: str = "race"

    @classmethod
    def of_race(cls: "type[V]", name: str) -> "V":
        """Those of a race, whose settings in the link begin with ``name``."""
        step = Param(f"{name}.step", NEWEST, "", "step", domain=Domain(NEWEST, STEPS_CAP, False, False))
        points = Domain(NO_POINT, MOST_RACERS * 500 - 1, False, False)  # each racer may have 500 images of its own
        return cls(name, step, Param(f"{name}.point", NO_POINT, "", "point marked", domain=points))


V = TypeVar("V", bound=ViewSettings)
STEP = Param("step", NEWEST, "", "step of the run", domain=Domain(NEWEST, STEPS_CAP, False, False))
QUERY = Param("query", NO_POINT, "", "query", domain=Domain(NO_POINT, 499, False, False))
PLANE = Param("plane", 0, "", "step whose plane is drawn; 0: each step its own", domain=Domain(0, STEPS_CAP, False, False))
SHOWN = "(seen|set|images|points|[0-9]{1,3})?"
# Which points are shown, and how: ``seen~set~images~3``; empty for the default.
VIEW = Param(
    "view",
    "",
    "",
    "choice of points; write seen, set, images, points or the number of a class, ~ between them",
    pattern=f"({SHOWN}~)*{SHOWN}",
)
Picture = Literal["map", "plane"]  # of points of more than three dimensions
PICTURE = "picture"  # its key in a link to Train live
PICTURES = {"map": "neighbour map", "plane": "plane"}
ABOUT_PICTURE = "A neighbour map keeps who is near whom; a plane, the directions in which they differ most."
MAP_MISLEADS = (
    " A neighbour map keeps who is near whom: distances between groups and the sizes of groups mean nothing in it, and points of "
    "noise have clumps, too. Proxies and gradients are not drawn in it: they belong to the space itself."
)
OF_RUN = ViewSettings("live", STEP, QUERY, "run")


@dataclass(frozen=True)
class Live:
    """The live picture of what is ``trained``: the name of its figure, its title, and its ``view`` in the link.

    One with the name of a recording always plays that. ``others`` are settings of its page that do not change it. Points of more
    than three dimensions are drawn in the ``picture``, one of `PICTURES`. ``notes`` are what to look for, and how it misleads.
    """

    figure: str
    title: str
    trained: Run | Race
    view: ViewSettings
    recording: str = ""
    others: tuple[Param, ...] = ()
    picture: Picture = "plane"
    notes: tuple[str, str] = ("", "")

    @property
    def layout(self) -> str:
        """How the picture is laid out."""
        return "race" if isinstance(self.trained, Race) else self.figure

    @property
    def run(self) -> Run:
        """The run, or the run that all racers share."""
        return self.trained.run if isinstance(self.trained, Race) else self.trained


def choose_projection(ask: Ask) -> Picture:
    """Whether points of more than three dimensions are drawn in a map of neighbours or in a plane, as the visitor chooses."""
    label = "Points above three dimensions"
    return cast(Picture, ask.choice(PICTURE, label, tuple(PICTURES), "map", named=PICTURES, note=ABOUT_PICTURE))


def losses_of(trained: Run | Race) -> tuple[Loss, ...]:
    """The losses that a run or a race trains."""
    return tuple(racer.loss for racer in trained.racers) if isinstance(trained, Race) else (trained.loss,)
