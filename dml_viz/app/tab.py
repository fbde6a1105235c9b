"""The keys under which pages keep something in the session of a visitor's tab, each with what it holds.

Controls and components are in the session, too, under their own keys: a control's is the key of its setting in links.
"""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.room.prediction import Round
from dml_viz.room.room import ProvenanceNotes
from dml_viz.room.task import ActiveTask, Task
from dml_viz.room.visit import Visit

T = TypeVar("T")
REQUIRED = object()  # in place of a default, where a value must be there


@dataclass(frozen=True)
class Key(Generic[T]):
    """A key of the session: its name, and the value that it has before one is set."""

    name: str
    default: T | object = REQUIRED

    def get(self) -> T:
        """The value, or the key's default before one is set; KeyError if the key has no default."""
        if self.default is REQUIRED:
            return cast(T, st.session_state[self.name])
        return cast(T, st.session_state.get(self.name, self.default))

    def find(self) -> T | None:
        """The value, or None if none is set."""
        return cast(T | None, st.session_state.get(self.name))

    def exists(self) -> bool:
        """Whether a value is set."""
        return self.name in st.session_state

    def set(self, value: T) -> T:
        """Set the value, and return it."""
        st.session_state[self.name] = value
        return value

    def setdefault(self, value: T) -> T:
        """The value, which is ``value`` if none was set."""
        return cast(T, st.session_state.setdefault(self.name, value))

    def reset_all_alike(self) -> None:
        """Set all of several alike to the default."""
        end = self.name.removeprefix("{}")
        for name in [name for name in map(str, st.session_state) if name.endswith(end)]:
            st.session_state[name] = self.default

    def pop(self) -> T | None:
        """Forget the value, and return it; None if none was set."""
        return cast(T | None, st.session_state.pop(self.name, None))

    def of(self, name: str | int) -> "Key[T]":
        """The key of one of several alike, ``name``, which stands for {} in this key's name."""
        return Key(self.name.format(name), self.default)


def control(key: str, default: Any = None) -> Key[Any]:
    """The key of a control or component, by the ``key`` that Streamlit knows it by."""
    return Key(key, default)


# The page that runs.
PAGE = Key[str]("frame.path", "")  # its path in the address
PAGES = Key[list[Any]]("frame.pages")  # Streamlit's objects of all pages, in the order of the menu
THEME = Key[str]("theme.wanted")  # the theme without a browser
TERMS = Key[frozenset[str]]("glossary.explained", frozenset())  # the terms that the page has explained so far
NOTES = Key[ProvenanceNotes]("export.notes")  # what the page has drawn so far, for its exports
NOTICE = Key[tuple[str, float]]("notice", ("", 0.0))  # what was announced last, and when
COMPLAINTS = Key[tuple[str, tuple[str, ...], float]]("complaints", ("", (), 0.0))  # of which page, on its link, and since when
CLICKED = Key[bool]("{}.clicked", False)  # whether a click has changed a control beside the figures of a room
PRESET_SENTENCE = Key[str]("{}.sentence")  # on the last preset of a page
EXPANDED = Key[dict[str, tuple[str, Mapping[Any, str]]]]("{}.inside")  # labels and names of controls in an expander, by key
TYPED, TYPED_FOR = Key[str]("{}.typed"), Key[str]("{}.shown")  # the text of a text box, and the value for which it was set
PRESSES = Key[int]("{}.taken", 0)  # presses of a counted button that have been answered
ARRIVAL = Key[tuple[int, str]]("figure.arrival", (0, ""))  # how often a link has named a figure to scroll to, and the last one

# Links.
VISIT = Key[Visit]("link.visit")  # the rerun of the page that reads and writes the address
VISITED = Key[str]("link.visited")  # the page of the last rerun
SENT = Key[dict[str, str]]("link.sent")  # the settings that were written to the address last
MEMORY = Key[dict[str, Any]]("link.memory")  # last values of all controls: Streamlit forgets what a page does not draw
DEFAULTS = Key[dict[str, Any]]("link.defaults")  # the defaults of these controls on the pages that stored their values

# Tasks, lessons and predictions.
TASKS = Key[dict[str, ActiveTask]]("tasks")  # by the path of their page
ANSWERED = Key[Task | None]("lesson.answered", None)  # the task whose answer is on the screen
DRAFTS = Key[dict[str, Task]]("share.drafts")  # tasks that the visitor writes, by the path of their page
DRAFT_STATE = Key[str]("share.of.{}")  # of a control in the editor of a task: free, locked or hidden
DRAFT_TEXT = Key[str]("share.{}")  # the question, or the answer, in that editor
LESSON_TEXT = Key[str]("lessons.text")  # the text box of a lesson of several pages
LESSON_DRAFT = Key[str]("lessons.draft", "")  # its text, which stays when the editor is closed
LESSON_ERROR = Key[str]("lessons.wrong")  # why a file was no lesson
ROUNDS = Key[dict[str, Round]]("predict.rounds")  # questions that were asked, by the name of the prediction
ROUND_STAGE = Key[str]("predict.stage", "")  # of the question that the page asks; empty where it asks none
WITHHELD = Key[frozenset[str]]("predict.withheld", frozenset())  # keys of figures that would show its answer
BARE = Key[bool]("predict.bare", False)  # whether the scene is drawn without arrows and edges until then
ROUND_MESSAGE = Key[str]("predict.wait")  # why an answer is not revealed yet
PREDICTED = Key[Any]("predict.answer.{}")  # the answer in the control of a prediction

# A classroom.
WALL, ATTENDED = Key[str]("classroom.wall", ""), Key[str]("classroom.attended", "")  # codes: of the one taught, and attended
CLASS_TOKEN = Key[str]("classroom.token", "")  # of its teacher; a tab opened again has it in the browser alone
CLASS_ASKED = Key[str]("classroom.asked", "")  # the name of the page's prediction that the class is asked
CLASS_REVEALED = Key[bool]("classroom.revealed", False)  # whether it is revealed
CLASSES_OVER = Key[frozenset[str]]("classroom.over", frozenset())  # the codes of classrooms whose end the tab has seen
CLASS_DONE = Key[Any]("classroom.done", 0)  # the number of what the browser wanted of the page last

# Runs, races and sweeps.
OWNER = Key[str]("live.owner")  # the session's token, which owns its jobs
JOB = Key[str]("{}.id", "")  # of a job by its name in links: its id
GOAL = Key[int]("{}.goal", -1)  # the step to which the link trains it; -1 for none
FOLLOWS = Key[bool]("{}.follow")  # of the setting of a step: whether the newest is in view
SENT_EARLIER = Key[Any]("{}.earlier", None)  # of a live picture's state: what it was when the link was opened
FEED = Key[str]("{}.fed")  # the address of a live picture whose browser opens no WebSocket
FED_POINTS = Key[str]("{}.points", "")  # the steps between which its points were sent last
RUN_MESSAGE, RACE_MESSAGE = Key[str]("live.message"), Key[str]("race.message")  # a sentence on the last press
SWEEP_REFUSED = Key[tuple[str, str]]("{}.refused", ("", ""))  # of a knob: its axis, and the values that were refused for it
SWEEP_MESSAGE, FORK_MESSAGE = Key[str]("sweep.message"), Key[str]("fork.message")
RACER = Key[int | None]("race.edit", None)  # the place of the racer that is open
RACE_DIFFERENCES = Key[list[str]]("race.differ")  # the parts of a run in which racers may differ
SWEEP_COSTS = Key[dict[str, Future[Any]]]("sweep.prices")  # by what runs that take equally long have in common
SWEEP_PACE = Key[tuple[str, float, float]]("sweep.pace")  # a job, the work that it had done, and when
SWEEP_PICK = Key[int | None]("sweep.picked", None)  # the place of the picked run

# Files, scenes and figures of the visitor's own.
FILE = Key[Scored]("brought.{}")  # by the key of its fingerprint in links
IMAGES = Key[OwnImages]("own.images")
FILE_TURN = Key[int]("{}.turn")  # how many files an element for files has taken, which makes it anew
FILE_ERROR = Key[str]("{}.wrong", "")  # why a file was refused
ROWS_STOPPED = Key[frozenset[str]]("rows.stopped", frozenset())  # the fingerprints of files whose work the visitor has stopped
SCENE = Key[tuple[int, Any]]("{}.agreed")  # of an editor: its revision, and the scene that browser and server have
COMPOSED = Key[dict[str, Any]]("compose.made")  # the panels of a composed figure, by what the tray has of them
COMPOSE_KNOWN = Key[frozenset[str]]("compose.known")  # the panels that the browser has
COMPOSE_ARRIVED = Key[bool]("compose.arrived", False)  # whether the figures came by a link
COMPOSE_FAULT = Key[str]("compose.fault", "")  # why the tray that the browser reported last was refused
NAMED_LOSS = Key[tuple[Any, ...]]("name.found")  # title, batch and answer of *Name that loss*
