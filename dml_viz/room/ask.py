"""What a page asks for: settings by their keys in its link, drawn as controls or read from the link, and the link's version."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, TypeVar

from dml_viz.params import Domain, Param, params
from dml_viz.room import task

T = TypeVar("T")
K = TypeVar("K", bound="Setting")
NEWEST = -1  # the step of a run in a link: the newest there is
NOTHING: Mapping[str, Any] = MappingProxyType({})
Knobs: TypeAlias = Callable[[Any], tuple[Param, ...]]  # of a declaration
# A function of all settings by key that returns the settings that a button changes.
Action: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
KEY = "v"
AT = "figure"  # the figure that a page scrolls to, once
FIRST = "1"  # the version of links that carry none
TRAIN = OWN = "2"  # the newest version of links to Train live, and to Your data
# Settings of every page that stay when the page is opened anew: its task, its lesson, and how much of it is shown.
OF_PAGES = (*task.NAMES, "lesson", "station", "present", "only", "knobs", "wall", "classroom")
# Settings that every page has, which say nothing on a page's own: a link with these alone opens the page as it opens today.
OF_THE_FRAME = frozenset((KEY, AT, *OF_PAGES, "predict", "embed", "embed_options"))


@dataclass(frozen=True)
class Versions:
    """The newest ``version`` of a page's links, and what it opens with ``now``: texts in place of the defaults of knobs.

    ``before`` are the defaults of the same settings in links of the version before it.
    """

    version: str
    now: Mapping[str, str]
    before: Mapping[str, str]

    def today(self, link: Mapping[str, str], *, written: bool = False) -> tuple[dict[str, str], str]:
        """The settings of ``link``, of any version, as links of the newest version write them, and a complaint, or "".

        An empty link opens the page as it opens today, unless the page has ``written`` it into a file.
        """
        asked = {key: text for key, text in link.items() if key != KEY}
        version = link.get(KEY, FIRST if written or asked.keys() - OF_THE_FRAME else self.version)
        complaint = "" if version in (FIRST, self.version) else f"version {version} of the link: {self.version} is taken"
        return ({**self.before, **asked} if version == FIRST else asked), complaint


def as_link(settings: Mapping[str, Any]) -> dict[str, str]:
    """``settings`` by key as a link writes them."""
    return {key: str(value) for key, value in settings.items()}


class Setting(Protocol):
    """The declaration of a value in a link: its default, how it is read, and what is wrong with a value."""

    @property
    def default(self) -> Any: ...

    def read(self, text: str) -> Any:
        """The value written as ``text``; ValueError, which says why, for other texts, perhaps with the ``nearest`` value."""

    def error_for(self, value: Any) -> str | None:
        """A sentence on what is wrong with ``value``; None if it is allowed."""


class ReadSetting(ABC):
    """A setting whose values are all texts that `read` accepts."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value written as ``text``; ValueError, which says why, for other texts."""

    def error_for(self, value: Any) -> str | None:
        """A sentence on what is wrong with ``value``; None if it is allowed."""
        try:
            self.read(value)
        except ValueError as error:
            return str(error)
        return None


class Several(Setting, Protocol):
    """The declaration of some of ``options``, in the order in which they are offered, by their names in a link."""

    @property
    def options(self) -> tuple[str, ...]: ...

    def names(self, text: str) -> tuple[str, ...]:
        """The names that ``text`` writes."""

    def write(self, names: tuple[str, ...]) -> str:
        """The text of ``names`` in a link."""


class Ask:
    """Asks for settings by their keys in the link; ValueError for one that is not allowed. Only on a page anything is drawn."""

    figure = ""  # the figure that is asked for alone, by its name in files
    opens: Mapping[str, str] = NOTHING  # what a page opens with, in place of the defaults of knobs, as a link writes it

    def of_version(self, versions: Versions) -> None:
        """Ask with the page's own defaults from now on; subclasses also translate links of older ``versions``."""
        self.opens = versions.now

    def with_page_default(self, key: str, knob: K) -> K:
        """``knob`` with the default of this page, if that differs."""
        return replace(knob, default=knob.read(self.opens[key])) if key in self.opens else knob  # type: ignore[type-var]

    def setting(self, key: str, knob: Setting) -> Any:
        """The value of a setting without a control."""
        raise NotImplementedError

    def step(self, knob: Param) -> int:
        """The step of a run; `NEWEST` for its newest."""
        return int(self.setting(knob.name, knob))

    def follow_default(self, key: str, value: str) -> None:
        """Move the control ``key`` to ``value``, its new default, if it was left at the earlier one."""
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

    def several(
        self, key: str, label: str, knob: Several, sets: Mapping[str, tuple[str, ...]], named: Mapping[str, str] = NOTHING
    ) -> str:
        """The text of some options of ``knob``; its control has a button for each of ``sets``, and calls options as ``named``."""
        return str(self.setting(key, knob))

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
            drawn = draw and knob.has_effect(values)
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

    def point(self, key: str, label: str, size: int, note: str = "") -> int:
        """One of the ``size`` points of a run or a file; 0, unasked, where there are none, as a scene has its own roles."""
        return self.number(key, label, 0, size - 1, 0, note=note) if size else 0
