"""Settings read from a link alone, as the command line does. No Streamlit here."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from dml_viz.params import Param
from dml_viz.room.ask import Ask, Setting, Versions
from dml_viz.room.source import Subject

S = TypeVar("S")  # settings of a page


class LinkReader(Ask):
    """Answers what a room asks for from the settings of a link, or with defaults."""

    def __init__(self, link: Mapping[str, str], *, written: bool = False) -> None:
        """``written`` is true for a link in a file that a page has made."""
        self._link, self._written = link, written
        self._defaults: dict[str, str] = {}

    def setting(self, key: str, knob: Setting) -> Any:
        knob = self.with_page_default(key, knob)
        return knob.read(self._link[key]) if key in self._link else self._defaults.get(key, knob.default)

    def follow_default(self, key: str, value: str) -> None:
        self._defaults[key] = value

    def of_version(self, versions: Versions) -> None:
        super().of_version(versions)
        self._link, complaint = versions.today(self._link, written=self._written)
        if complaint:
            raise ValueError(complaint)


class MovedReader(LinkReader):
    """Reader of a link while a slider is being moved to ``value``, or to ``mark`` if the slider has marks.

    ``slider`` is its key as Streamlit writes it in the page.
    """

    def __init__(self, link: Mapping[str, str], slider: str, value: str, mark: str) -> None:
        super().__init__(link)
        self._slider, self._value, self._mark = slider, value, mark
        self._asked = False

    def setting(self, key: str, knob: Setting) -> Any:
        """The value of the slider, or for other keys the value in the link."""
        if key.replace(".", "-") != self._slider:
            return super().setting(key, knob)
        self._asked = True
        return knob.read(self._mark if isinstance(knob, Param) and knob.log else self._value)

    def settings(self, asks: Callable[[Ask, Subject], S], subject: Subject) -> S:
        """The settings for which ``asks`` asks; LookupError if the slider is none of them."""
        settings = asks(self, subject)
        if not self._asked:
            raise LookupError(self._slider)
        return settings
