"""The link is the picture: every setting of a page is in its address, defaults left out, and the address brings it back.

The address is read when a visitor arrives by a link and when the browser goes back or forward; at any other time the
controls lead and the address follows.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dml_viz.app import lesson
from dml_viz.app.markdown import MOST_NAMED, listed, shown
from dml_viz.app.room import Setting
from dml_viz.app.short_link import SHORT, long
from dml_viz.params import Param

VISIT, VISITED, SENT = "link.visit", "link.visited", "link.sent"
MISSING = object()
FRAME = (*lesson.NAMES, "lesson", "station", "present", "only")  # settings that stay when a page is opened anew


def _memory() -> dict[str, Any]:
    """What the controls of every page last said; Streamlit forgets a control that a page does not draw."""
    return st.session_state.setdefault("link.memory", {})


def _defaults() -> dict[str, Any]:
    """The defaults of the controls in memory, on the page that remembered them."""
    return st.session_state.setdefault("link.defaults", {})


@dataclass
class Visit:
    """One run of a page: what its address asked for, what is kept in it, what could not be had, and the controls drawn.

    ``offered`` are the labels, by key, of the controls that a lesson may lock or hide; ``named`` what they call their values.
    """

    asked: dict[str, str]
    arrived: bool
    written: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)
    offered: dict[str, str] = field(default_factory=dict)
    named: dict[str, Mapping[Any, str]] = field(default_factory=dict)
    unshared: set[str] = field(default_factory=set)
    given: lesson.Given = field(default_factory=lesson.given)
    memory: dict[str, Any] = field(default_factory=_memory)
    defaults: dict[str, Any] = field(default_factory=_defaults)

    @property
    def shared(self) -> dict[str, str]:
        """What is kept in the address and means the same to others, and later."""
        return {key: text for key, text in self.written.items() if key not in self.unshared}

    def copied(self) -> "Visit":
        """The same as it is now, without a link to read, for a fragment of the page that begins here."""
        own = {name: copy(getattr(self, name)) for name in ("written", "known", "offered", "named", "unshared")}
        return replace(self, arrived=False, **own)


@contextmanager
def visiting() -> Iterator[Visit]:
    """Read the address before a page runs and write it after."""
    context = get_script_run_ctx()
    back = bool(context and context.is_history_navigation)
    path = st.session_state.get("frame.path", "")
    # The menu leads to a page without settings; a page with some that is not the last one is come back to.
    elsewhere = path != st.session_state.get(VISITED, path) and len(st.query_params) > 0
    st.session_state[VISITED] = path
    arrived = back or elsewhere or VISIT not in st.session_state
    visit = Visit({}, arrived)
    st.session_state[VISIT] = visit
    if arrived:
        _arrive(visit)
    visit.known |= set(lesson.NAMES)
    warnings = st.container()
    lesson.show()
    yield visit
    if arrived:
        unknown = [name for name in visit.asked if name not in visit.known]
        if unknown:
            visit.complaints.append(f"{listed(unknown)} not known here and left out")
        visit.complaints += [shown(wrong, 3) for wrong in lesson.settle(visit.offered)]
    st.html(lesson.hidden_figures() or "<style></style>")
    if visit.complaints:
        shown_parts, more = visit.complaints[:MOST_NAMED], len(visit.complaints) - MOST_NAMED
        last = [f"and {more} more of the kind"] if more > 0 else []
        warnings.warning(
            f"This link asked for something that cannot be had: {'; '.join([*shown_parts, *last])}.",
            icon=":material/link:",
        )
    _tell(visit)


def _arrive(visit: Visit) -> None:
    """Take what the address asks for: its settings, those that its short form holds, and its lesson."""
    shown_parts = {name: st.query_params.get_all(name) for name in st.query_params}
    if SHORT in shown_parts:
        try:
            visit.asked = long(shown_parts.pop(SHORT)[-1])
        except ValueError as error:
            visit.complaints.append(str(error))
    visit.asked |= {name: values[-1] for name, values in shown_parts.items()}
    if twice := [name for name, values in shown_parts.items() if len(set(values)) > 1]:
        visit.complaints.append(f"{listed(twice)} given more than once: the last counts")
    taken, wrong = lesson.Lesson.read(visit.asked)
    lesson.give(taken)
    visit.complaints += [shown(each, 3) for each in wrong]


def open_anew(settings: Mapping[str, str]) -> None:
    """Let the next run of the page begin as from a link with ``settings``: all others at their defaults, but for the lesson."""
    visit: Visit = st.session_state.pop(VISIT)
    carried = {name: text for name, text in visit.written.items() if name in FRAME}
    st.query_params.from_dict({**carried, **settings})


def link() -> dict[str, str]:
    """The settings that this run of the page has put in its address."""
    return dict(st.session_state[VISIT].written)


def resume(begun: Visit) -> None:
    """Let a fragment that runs again begin as it did, without what it asked for and kept then; nothing where the page runs."""
    if _in_fragment():
        st.session_state[VISIT] = begun.copied()


def write() -> None:
    """Bring the address in line at the end of a fragment; a whole run of the page does so by itself."""
    if _in_fragment():
        _tell(st.session_state[VISIT])


def _in_fragment() -> bool:
    context = get_script_run_ctx()
    return bool(context and context.fragment_ids_this_run)


def _tell(visit: Visit) -> None:
    """Send the browser its address, unless it has it: both by what it says and by what it was sent last.

    What it says is older than what it was sent where it asked for this run before the last address had come.
    """
    visit.written |= lesson.given().lesson.write()
    if visit.written != dict(st.query_params) or visit.written != st.session_state.get(SENT, visit.written):
        st.query_params.from_dict(visit.written)
    st.session_state[SENT] = dict(visit.written)


def setting(key: str, knob: Setting) -> Any:
    """The value of widget ``key``, seeded before the widget is drawn: from the link on arrival, else as it last stood.

    Pass it to the widget as its default, too: a run that is cut short sends no seeds, and the next one seeds nothing.
    """
    visit: Visit = st.session_state[VISIT]
    # A fragment asks again for what has been seeded from the link when the page ran.
    arriving = visit.arrived and key not in visit.known
    visit.known.add(key)
    before = value = None if arriving else st.session_state.get(key, MISSING)
    if arriving:
        value = _asked(visit, key, knob)
    elif value is MISSING or knob.complaint(value):
        last = visit.memory.get(key, knob.default)
        # What stood at another page's default stands at this one's.
        untouched = key in visit.defaults and last == visit.defaults[key]
        value = knob.default if untouched or knob.complaint(last) else last
    fixed = visit.given.at(key, value)
    if fixed != value and not knob.complaint(fixed):
        value = fixed
    if arriving or value is not before:
        st.session_state[key] = value
    return value


def offer(key: str, label: str, named: Mapping[Any, str] | None = None) -> str:
    """Tell that the page has control ``key``, which a lesson may lock or hide; what its lesson makes of it.

    ``named`` is how the control shows those of its values that it does not show as they are.
    """
    visit: Visit = st.session_state[VISIT]
    visit.offered[key], visit.named[key] = label, named or {}
    return visit.given.lesson.state(key)


def arriving(key: str) -> str:
    """What the link asks for under ``key``; empty when the visitor has not just arrived."""
    visit: Visit = st.session_state[VISIT]
    visit.known.add(key)
    return visit.asked.get(key, "") if visit.arrived else ""


def address() -> Mapping[str, str]:
    """What the address holds as the page runs: what a link asked for, or what the page wrote last."""
    visit: Visit = st.session_state[VISIT]
    return visit.asked if visit.arrived else st.session_state.get(SENT, {})


def propose(settings: Mapping[str, Any], unless: Sequence[str]) -> None:
    """Give settings these values, but not where a visitor has just arrived by a link that has one of ``unless``."""
    visit: Visit = st.session_state[VISIT]
    if not visit.arrived:
        st.session_state.update(settings)
    elif not set(unless) & set(visit.asked):
        visit.asked |= {key: str(value) for key, value in settings.items()}


def keep(key: str, value: Any, default: Any, *, shared: bool = True) -> None:
    """Hold ``value`` in the address under ``key``, unless it is the default; one that is not ``shared`` stays out of links."""
    visit: Visit = st.session_state[VISIT]
    visit.known.add(key)
    if not shared:
        visit.unshared.add(key)
    visit.memory[key], visit.defaults[key] = value, default
    visit.written.pop(key, None)
    if value != default:
        visit.written[key] = str(value)


def renamed(old: str, new: str) -> None:
    """Read what an older link asks for under ``old`` as the setting ``new``."""
    asked = st.session_state[VISIT].asked
    if old in asked:
        asked.setdefault(new, asked.pop(old))


def suggest(key: str, value: Any) -> None:
    """Let control ``key`` start at ``value`` where neither the link nor the visitor has said otherwise."""
    visit: Visit = st.session_state[VISIT]
    if not visit.arrived:
        visit.memory.setdefault(key, value)


def follow(key: str, default: str) -> None:
    """Let control ``key``, which stands at the default that its page had before, stand at ``default`` instead."""
    if key in st.session_state and st.session_state[key] == _defaults().get(key):
        st.session_state[key] = default


def reset(names: tuple[str, ...]) -> None:
    """Set controls back to their defaults: those named, and all below a name that ends in a dot."""
    memory = _memory()
    for key in [*memory, *map(str, st.session_state)]:
        if key in names or any(key.startswith(name) for name in names if name.endswith(".")):
            memory.pop(key, None)
            if key in st.session_state:
                del st.session_state[key]


def _asked(visit: Visit, key: str, knob: Setting) -> Any:
    if key not in visit.asked:
        return knob.default
    try:
        return knob.read(visit.asked[key])
    except ValueError as error:
        value = getattr(error, "nearest", knob.default)
        taken = f": {value} is taken" if isinstance(knob, Param) and hasattr(error, "nearest") else ""
        visit.complaints.append(shown(f"{error}{taken}", 4))
        return value
