"""The state of a page in its address: every setting except defaults, so that the address restores the page.

The address is read when a visitor arrives by a link and when the browser goes back or forward; at any other time it is written
from the controls.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dml_viz.app import notice, tab, task_card
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.room.ask import KEY, OF_PAGES, OF_THE_FRAME, Setting, Versions, as_link
from dml_viz.room.markdown import MOST_NAMED, clip_and_escape
from dml_viz.room.visit import Visit

MISSING = object()


@contextmanager
def visiting() -> Iterator[Visit]:
    """Read the address before a page runs and write it after."""
    context = get_script_run_ctx()
    back = bool(context and context.is_history_navigation)
    path = tab.PAGE.get()
    # The menu opens pages without settings; another page than the last one with settings was opened by a link.
    entered = path != tab.VISITED.setdefault(path)
    elsewhere = entered and len(st.query_params) > 0
    tab.VISITED.set(path)
    arrived = back or elsewhere or not tab.VISIT.exists()
    memory, defaults = tab.MEMORY.setdefault({}), tab.DEFAULTS.setdefault({})
    visit = tab.VISIT.set(Visit(arrived, arrived or entered, task_card.current_task(), memory, defaults))
    if arrived:
        visit.load({name: st.query_params.get_all(name) for name in st.query_params})
    visit.known |= set(task.NAMES)
    warnings = st.container()
    task_card.draw_task()
    yield visit
    if arrived:
        visit.check()
    st.html(visit.active_task.hidden_figures() or "<style></style>")
    if complaints := _lasting_complaints(visit):
        shown_parts, more = complaints[:MOST_NAMED], len(complaints) - MOST_NAMED
        last = [f"and {more} more of the kind"] if more > 0 else []
        warnings.warning(
            f"This link asked for something that cannot be had: {'; '.join([*shown_parts, *last])}.", icon=":material/link:"
        )
    _send_address(visit)


def _lasting_complaints(visit: Visit) -> list[str]:
    """What is wrong with the link, also in the reruns that follow at once, as a component begins that reports something."""
    here, now = tab.PAGE.get(), monotonic()
    if visit.arrived:
        tab.COMPLAINTS.set((here, tuple(visit.complaints), now))
    page, earlier, since = tab.COMPLAINTS.get()
    lasting = earlier if page == here and now - since < notice.SECONDS else ()
    return list(dict.fromkeys([*lasting, *visit.complaints]))


def open_anew(settings: Mapping[str, str]) -> None:
    """Let the next rerun begin as from a link with ``settings``: all others get their defaults, except those of a lesson."""
    visit = tab.VISIT.get()
    tab.VISIT.pop()
    carried = {name: text for name, text in visit.written.items() if name in OF_PAGES}
    st.query_params.from_dict({**carried, **settings})


def written_settings() -> dict[str, str]:
    """The settings that this rerun of the page has written to its address."""
    return dict(tab.VISIT.get().written)


def restore_visit(begun: Visit) -> None:
    """Restore the visit ``begun`` with which a fragment began, if it runs again by itself; nothing if the whole page runs."""
    if _in_fragment():
        tab.VISIT.set(begun.copied())


def write_address() -> None:
    """Write the address at the end of a fragment; a rerun of the whole page does so by itself."""
    if _in_fragment():
        _send_address(tab.VISIT.get())


def _in_fragment() -> bool:
    context = get_script_run_ctx()
    return bool(context and context.fragment_ids_this_run)


def _send_address(visit: Visit) -> None:
    """Send the browser its address, unless it has it already, by its own report and by what was sent last.

    The report is older than what was sent last if the browser began this rerun before the last address had arrived.
    """
    visit.written |= task_card.current_task().task.write()
    if visit.written != dict(st.query_params) or visit.written != tab.SENT.setdefault(visit.written):
        st.query_params.from_dict(visit.written)
    tab.SENT.set(dict(visit.written))


def arrives(key: str) -> bool:
    """Whether the visitor has just arrived by a link, at the first time that the page asks for ``key``."""
    visit = tab.VISIT.get()
    # A fragment asks again for settings that the whole page has read from the link.
    arriving = visit.arrived and key not in visit.known
    visit.known.add(key)
    return arriving


def setting(key: str, knob: Setting) -> Any:
    """The value of widget ``key``, set before the widget is drawn: from the link on arrival, else its last value.

    Pass it to the widget as its default, too: after a rerun that was cut short, the widget has no value in the session.
    """
    visit, arriving = tab.VISIT.get(), arrives(key)
    before = value = None if arriving else st.session_state.get(key, MISSING)
    if arriving:
        value = visit.read(key, knob)
    elif value is MISSING or knob.error_for(value):
        last = visit.memory.get(key, knob.default)
        # A value that was another page's default becomes this page's default.
        untouched = key in visit.defaults and last == visit.defaults[key]
        value = knob.default if untouched or knob.error_for(last) else last
    fixed = visit.active_task.value(key, value)
    if fixed != value and not knob.error_for(fixed):
        value = fixed
    if arriving or value is not before:
        st.session_state[key] = value
    return value


def register_control(key: str, label: str, named: Mapping[Any, str] | None = None) -> str:
    """Note that the page has control ``key``, which a lesson may lock or hide; return its state there: free, locked or hidden.

    ``named`` are the names of values that the control does not show as they are.
    """
    visit = tab.VISIT.get()
    visit.offered[key], visit.named[key] = label, named or {}
    return visit.active_task.task.state(key)


def arriving_text(key: str) -> str:
    """The text of the link under ``key``; empty unless the visitor has just arrived."""
    visit = tab.VISIT.get()
    visit.known.add(key)
    return visit.link.get(key, "") if visit.arrived else ""


def arriving_job(key: str) -> str:
    """The key of a job that the link has under ``key``; empty unless the visitor has just arrived."""
    job = Param(key, "", "", "key of a run on this server; leave it out", pattern=r"(?a)[\w-]{22}")
    return str(tab.VISIT.get().read(key, job)) if arriving_text(key) else ""


def address_settings() -> Mapping[str, str]:
    """The settings of the address while the page runs: those of a link, or those that the page wrote last."""
    visit = tab.VISIT.get()
    return visit.link if visit.arrived else tab.SENT.find() or {}


def apply_unless_linked(settings: Mapping[str, Any], unless: Sequence[str]) -> None:
    """Set ``settings`` of controls, unless the visitor has just arrived by a link that has a setting named in ``unless``."""
    visit = tab.VISIT.get()
    if not visit.arrived:
        st.session_state.update(settings)
    elif not set(unless) & set(visit.link):
        visit.link |= as_link(settings)


def write_setting(key: str, value: Any, default: Any, *, shared: bool = True) -> None:
    """Write ``value`` to the address under ``key``, unless the page opens with the default; without ``shared`` not to links."""
    visit = tab.VISIT.get()
    visit.known.add(key)
    if not shared:
        visit.unshared.add(key)
    visit.memory[key], visit.defaults[key] = value, default
    visit.written.pop(key, None)
    if value != default or key in visit.opened_with:
        visit.written[key] = str(value)


def of_version(versions: Versions) -> None:
    """Read a link of any of the page's ``versions`` as one of the newest, and write the newest one's version."""
    visit = tab.VISIT.get()
    if visit.arrived and KEY not in visit.known:
        visit.link, complaint = versions.today(visit.link)
        visit.complaints += [clip_and_escape(complaint, 3)] if complaint else []
    write_setting(KEY, versions.version, "")


def set_initial_settings(settings: Mapping[str, Any]) -> None:
    """Let a page that is entered without settings begin with these, in place of the defaults that links leave out."""
    visit = tab.VISIT.get()
    visit.opened_with |= settings.keys()
    if visit.arrived and not visit.link.keys() - OF_THE_FRAME:
        visit.link |= as_link(settings)
    elif visit.entered and not visit.arrived:
        left = {key for key in settings if visit.memory.get(key) == visit.defaults.get(key)}
        visit.memory.update({key: settings[key] for key in left})


def rename_setting(old: str, new: str) -> None:
    """Read the setting ``old`` of an older link as the setting ``new``."""
    settings = tab.VISIT.get().link
    if old in settings:
        settings.setdefault(new, settings.pop(old))


def set_first_value(key: str, value: Any) -> None:
    """Let control ``key`` start at ``value``, unless the link or the visitor has set it."""
    visit = tab.VISIT.get()
    if not visit.arrived:
        visit.memory.setdefault(key, value)


def follow_default(key: str, default: str) -> None:
    """Set control ``key`` to the new ``default`` if it still has the one that its page had before."""
    if key in st.session_state and st.session_state[key] == tab.DEFAULTS.setdefault({}).get(key):
        st.session_state[key] = default


def reset(names: tuple[str, ...]) -> None:
    """Reset controls to their defaults: those named, and all below a name that ends in a dot."""
    memory = tab.MEMORY.setdefault({})
    for key in [*memory, *map(str, st.session_state)]:
        if key in names or any(key.startswith(name) for name in names if name.endswith(".")):
            memory.pop(key, None)
            if key in st.session_state:
                del st.session_state[key]
