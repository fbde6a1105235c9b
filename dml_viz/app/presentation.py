"""A page on a wall or in slides: *Present* shows a claim and its figure, large; a frame shows one figure alone."""

import re
from collections.abc import Container, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import provenance_log, tab, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.lessons import bar
from dml_viz.app.presentation_style import FOOT, SIDE, TIMES, rules, selector
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.room.ask import AT, OF_PAGES
from dml_viz.room.markdown import to_the_letter
from dml_viz.room.visit import Visit

ONLY, PRESENT, MAIN, KNOBS = "only", "present", "main", "knobs"
SEPARATOR = "~"  # between the keys of two figures that are presented side by side
# The key of a figure in a link, or `MAIN` for the first one of the page; empty for none. Two keys present two figures, and
# "train.curves" one panel of a figure that has several.
WORDS = f"figure; write its name as Share does, or {MAIN}"
KEY = Param("figure", "", "", WORDS, pattern=f"(?a)({task.KEY.pattern})?")
KEYS = Param(
    "figure",
    "",
    "",
    f"{WORDS}; two with {SEPARATOR} between them",
    pattern=f"(?a)({task.KEY.pattern}({SEPARATOR}{task.KEY.pattern})?)?",
)
WITH_KNOBS = Param(KNOBS, 0, "", "knobs of a framed figure", choices=(0, 1))
VIEW = ".twin"  # ends the key of a second view of a scene
CHOSEN, FRAME_HEIGHT = "share.figure", 520  # px


class Presentation:
    """The part of the page that its link shows; its head is drawn in ``above``."""

    def __init__(self, above: DeltaGenerator) -> None:
        self.above, self.element = above.empty(), above.empty()
        self.only, self.present = (str(url_state.setting(name, key)) for name, key in ((ONLY, KEY), (PRESENT, KEYS)))
        if at := url_state.arriving_text(AT):
            tab.ARRIVAL.set((tab.ARRIVAL.get()[0] + 1, at))
        self.knobs = bool(self.only) and url_state.setting(KNOBS, WITH_KNOBS)
        url_state.write_setting(KNOBS, int(self.knobs), 0)
        if self.only and self.only != MAIN:
            # Streamlit takes no style back within a run; this one ends with the page's last element, since a link may be wrong.
            alone = rules([(self.only, self.only)], large=False, knobs=self.knobs)
            self.element.html(f"<style>body:not(:has(.st-key-presenter)) {{{alone}}}</style>")

    def finish(self) -> None:
        """Hide all of the page that its link does not show, now that its figures are known, and listen to the keys."""
        visit = tab.VISIT.get()
        figures = figures_of(visit)
        figure_keys = self.only or self.present
        keys = [_main(figures) if key == MAIN else key for key in figure_keys.split(SEPARATOR)] if figure_keys else []
        if any(key and _figure(key, figures) is None for key in keys):
            visit.complaints.append(_unknown(figure_keys, figures))
            self.only = self.present = figure_keys = ""
            url_state.write_setting(KNOBS, 0, 0)
        views = _with_views([key for key in keys if key]) if figure_keys else []
        arrival, at = tab.ARRIVAL.get()
        # Exports name the panel of a live figure behind the figure's own name.
        target = max((key for key in figures if f"{at}-".startswith(f"{key}-")), key=len, default="")
        if url_state.arriving_text(AT) and not target:
            visit.complaints.append(_unknown(at, figures))
        for name, value in ((ONLY, self.only), (PRESENT, self.present)):
            st.session_state[name] = value
            url_state.write_setting(name, value, "")
        parts = [(str(_figure(key, figures)), key) for key in views]
        claims = list(dict.fromkeys(figures[figure] for figure, _ in parts))
        if figure_keys:
            self.element.html(f"<style>{rules(parts, large=not self.only, knobs=self.knobs, claims=len(claims))}</style>")
        if self.present and not self.only and parts:
            with self.above.container(key="present-head", horizontal=True, vertical_alignment="center"):
                for claim in claims:
                    st.markdown(claim, width="stretch")
        lesson_now = bar.current_lesson() if self.present and not self.only else None
        keys = component("presenter")(
            key="presenter",
            data={
                "only": self.only,
                "present": views if self.present else None,
                "times": TIMES,
                "foot": FOOT,
                "side": SIDE,
                "figures": {key: selector(key) for key in figures},
                "main": MAIN,
                "at": target,
                "arrival": arrival,
                "station": lesson_now[1] + 1 if lesson_now else 0,
                "stations": len(lesson_now[0].stations) if lesson_now else 0,
            },
            on_turn_change=_turned,
            on_walk_change=lambda: None,
        )
        if keys.walk and lesson_now:
            lesson, station = lesson_now
            to = int(keys.walk) - 1
            if to != station and 0 <= to < len(lesson.stations):
                bar.go_to_station(lesson, to)


def _unknown(text: str, figures: Mapping[str, str]) -> str:
    known = f"write {', '.join(figures)}" if figures else "it has none"
    return to_the_letter(f"figure {text[:30]!r} is not on this page; {known}")


def _with_views(keys: Sequence[str]) -> list[str]:
    """``keys``, at most two; a second view of a scene moves with the scene and stands beside it."""
    both = [part for key in keys for part in ((key.removesuffix(VIEW), key) if key.endswith(VIEW) else (key,))]
    return list(dict.fromkeys(both))[:2]


def _figure(key: str, figures: Container[str]) -> str | None:
    """The figure that ``key`` names, itself or by one of its panels; None if it names none."""
    return next((name for name in (key, key.rpartition(".")[0]) if name in figures), None)


def figures_of(visit: Visit) -> dict[str, str]:
    """The figures of a page by their keys, with the claim of each."""
    return {
        key.removeprefix(task.FIGURE): label.removeprefix("figure “").removesuffix("”")
        for key, label in visit.offered.items()
        if key.startswith(task.FIGURE)
    }


def _main(figures: dict[str, str]) -> str:
    """The first figure with a claim of its own, else the first; empty without any."""
    title = provenance_log.notes().title
    return next((key for key, claim in figures.items() if claim != title), next(iter(figures), ""))


def button() -> None:
    """Draw the button that presents the page."""
    with st.container(key="present-button", width="content"):
        st.button(
            "Present",
            icon=":material/present_to_all:",
            key="present.open",
            on_click=tab.control(PRESENT).set,
            args=(MAIN,),
            help="A figure, its claim and its knobs, large. Keys: Alt and P begin, Up and Down change the figure, Shift and Down "
            "show two, Left and Right walk a lesson, Escape leaves.",
        )


def _turned() -> None:
    """Present what the browser asks for: figures by their keys, or, for an empty text, the page as it is."""
    keys: Any = tab.control("presenter").get() or {}
    to = keys.get("turn")
    if isinstance(to, str) and KEYS.pattern and re.fullmatch(KEYS.pattern, to):
        tab.control(PRESENT).set(to)


def address_with(address: str, settings: Mapping[str, str]) -> str:
    """``address`` with ``settings``."""
    return f"{address}?{urlencode(settings, safe='~')}" if settings else address


def iframe_of(link: str) -> str:
    """An iframe of ``link``, for reveal.js, Quarto and any HTML."""
    return f'<iframe src="{escape(link)}" width="100%" height="{FRAME_HEIGHT}" style="border: 0" loading="lazy"></iframe>'


def offer_frame(address: str, settings: Mapping[str, str]) -> None:
    """Draw the choice of a figure and the lines for it; ``settings`` are those of the page at ``address``."""
    figures = figures_of(tab.VISIT.get())
    if not figures:
        st.caption("This page has no figure.")
        return
    alike = list(figures.values())
    names = {key: claim if alike.count(claim) == 1 else f"{claim} ({key})" for key, claim in figures.items()}
    key_of_frame = st.selectbox("Figure", tuple(figures), format_func=names.__getitem__, key=CHOSEN)
    frame_settings = {name: text for name, text in settings.items() if name not in OF_PAGES}
    with_knobs = {KNOBS: "1"} if st.checkbox("With its knobs", key="share.knobs") else {}
    framed = address_with(address, {**frame_settings, ONLY: key_of_frame, **with_knobs})
    st.code(iframe_of(framed), language="html", wrap_lines=True)
    st.caption("For reveal.js, Quarto or any HTML. Out of sight, and on a slide that is not shown, it sleeps.")
