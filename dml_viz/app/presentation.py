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
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.room.link_version import AT
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
# What stays beside the figures: rows at the bottom of the screen, from the lowest up, and knobs at its left.
FOOT = (".st-key-lesson-bar", ".st-key-prediction", ".st-key-run-buttons", '[class*="-switches"]')
SIDE = (".st-key-rail", '[class*="-rail"]', '[data-testid="stSidebar"]')
# Elements without any of {shown} are hidden.
STYLE = """<style>
[data-testid="stHeader"], [data-testid="stExpandSidebarButton"] {{ display: none !important; }}
[data-testid="stMainBlockContainer"] {{ padding: 0 !important; max-width: none !important; }}
[data-testid="stMainBlockContainer"] :is([data-testid="stElementContainer"], [data-testid="stColumn"], [data-testid="stExpander"],
  [data-testid="stLayoutWrapper"]):not({shown}, {shown} *, :has({shown})) {{ display: none !important; }}
{more}
</style>"""
# A figure alone, in a frame.
ALONE = """
[data-testid="stSidebar"] {{ display: none !important; }}
[data-testid="stColumn"]:has({shown}) {{ flex: 1 1 100% !important; min-width: 100% !important; }}
[data-testid="stColumn"] > div, div:has(> .st-key-rail), [class*="-rail"] {{
  position: static !important; max-height: none !important; overflow: visible !important;
}}
"""
# Its knobs are at its left, in the frame.
BESIDE_IT = """
[data-testid="stColumn"]:has({rails}):not(:has({figure})) {{ flex: 0 0 200px !important; min-width: 200px !important; }}
[data-testid="stColumn"]:has({figure}) {{ flex: 1 1 0 !important; min-width: 0 !important; }}
"""
# On a screen of 1366 x 768 px the smallest words of a figure, which have 12 px, can then be read from the last row.
TIMES = 1.75
# The places of what is presented, which the presenter's script computes (assets/src/components/presenter.js): the head with the
# claim at the top, the knobs at the left, the figures beside them, a lesson and a question at the bottom. The styles of figures
# (assets/css) read their layout from here, and have defaults for a page that is not presented.
LARGE = """
html {{ --dml-times: {times}; --dml-knob: 1.48; }}
[data-testid="stMain"] {{ overflow: hidden !important; }}
[data-testid="stExpander"] summary, [data-testid="stSidebarHeader"], .dml-ticks {{ display: none !important; }}
:is(.st-key-present-head, .st-key-presenter, {foot}, {side}) {{ position: fixed !important; z-index: 98; margin: 0 !important;
  box-sizing: border-box; background: light-dark(#ffffff, #0f1218); }}
.st-key-present-head {{ inset: 0 0 auto 0; width: calc(100% - var(--dml-keys, 0px)) !important; padding: 0.5rem 1rem;
  flex-wrap: nowrap !important; }}
.st-key-present-head p {{ font-size: calc(17px * var(--dml-times)); font-weight: 600; line-height: 1.2; }}
.st-key-presenter {{ inset: 0 0 auto auto; width: max-content !important; padding: 0.5rem 1rem; }}
:is({foot}) {{ left: 0; width: 100% !important; padding: 0.2rem 1rem; max-height: 40vh; overflow: auto; }}
:is({side}) {{ left: 0 !important; top: var(--dml-top) !important; width: var(--dml-side) !important; min-width: 0 !important;
  height: auto !important; max-height: var(--dml-high) !important; overflow: hidden auto !important; padding: 0 1rem !important;
  transform: none !important; }}
:is({foot}, {side}) :is([data-testid="stElementContainer"], [data-testid="stPopover"]):not({shown}, {shown} *, :has({shown})) {{
  zoom: var(--dml-knob); }}
:is({side}) [data-testid="stMarkdownContainer"]:has(h5) {{ margin-bottom: 0 !important; }}
:is({side}) .dml-scene:not({shown} *) {{ zoom: 1.2; }}
:is({side}) .dml-scene-note:not({shown} *) {{ display: none; }}
{places}
"""
PLACE_OF_ROW = "{row} {{ bottom: var(--dml-row-{at}, 0px); }}"
PLACE_OF_FIGURE = """
{figure} {{ position: fixed !important; left: var(--dml-left-{at}); top: var(--dml-top); width: var(--dml-wide) !important;
  transform: scale(var(--dml-times)); transform-origin: 0 0; z-index: 97;
  will-change: transform;  /* else Chromium draws what is half transparent several times over */
  --dml-room: var(--dml-free); --dml-most: calc(0.7 * var(--dml-wide)); --dml-aside: none; --dml-beside: grid;
  --dml-words: 13px; --dml-slider: 120px; --dml-number: 1fr; --dml-name: 0; --dml-wrap: normal; --dml-note: 51px; }}
{figure} .dml-race-field .dml-legend {{ display: none; }}
{figure} .dml-race-field p {{ margin: 4px 0 0; font-size: 12px; }}
{figure} .dml-cell-note {{ overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }}
{figure} .dml-live {{ display: flex; flex-direction: column; height: var(--dml-free, 400px); }}
{figure} .dml-live .dml-grid {{ flex: 1; min-height: 0; grid-template-rows: minmax(0, 1fr); }}
{figure} .dml-live .dml-picture {{ flex: 1 1 0 !important; min-height: 60px !important; max-height: none !important; height: auto;
  aspect-ratio: auto !important; }}
{figure} .dml-live :is(.dml-gallery, .dml-strip) .dml-picture {{ overflow: hidden auto; }}
{figure} .dml-gallery [data-many="true"] {{ grid-template-columns: repeat(4, max-content minmax(0, 1fr)) !important;
  align-content: start; }}
{figure} .dml-row {{ grid-template-columns: 76px 16px repeat(8, minmax(0, 1fr)); }}
{figure} .dml-row > * {{ grid-row: auto !important; }}
{figure} .dml-row .dml-arrow {{ display: block; }}
{figure} .dml-embedding .dml-legend {{ max-height: none; }}
{figure} .dml-embedding .dml-legend > :first-child {{ max-width: 100%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }}
{figure} .dml-grid {{ grid-template-columns: {columns} !important; }}
{figure} .dml-grid > .dml-panel:not({panels}) {{ display: none !important; }}
{figure} .dml-grid > .dml-panel {{ grid-area: auto !important; order: 0 !important; padding: 4px 8px; }}
"""
# Two scenes side by side are as large as they can be, without the buttons that change points.
SCENE_OF_TWO = """
{figure} {{ --dml-beside: block; --dml-most: var(--dml-wide); }}
{figure} .dml-scene-bar {{ display: none; }}
"""
# The panels of a run, or of a race, that are presented together, and their columns.
PANELS = ":is(.dml-embedding, .dml-curves, .dml-gallery, .dml-race-field)"
COLUMNS = "repeat(auto-fit, minmax(200px, 1fr))"
# A page without figures is shown whole, larger.
WHOLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none !important; }
[data-testid="stMainBlockContainer"] { zoom: 1.85; padding: 1rem !important; }
</style>"""


class Presentation:
    """The part of the page that its link shows; its head is drawn in ``above``."""

    def __init__(self, above: DeltaGenerator) -> None:
        self.above, self.style = above.empty(), above.empty()
        self.only, self.present = (str(url_state.setting(name, key)) for name, key in ((ONLY, KEY), (PRESENT, KEYS)))
        if at := url_state.arriving(AT):
            tab.ARRIVAL.set((tab.ARRIVAL.get()[0] + 1, at))
        self.knobs = bool(self.only) and url_state.setting(KNOBS, WITH_KNOBS)
        url_state.keep(KNOBS, int(self.knobs), 0)
        if self.only and self.only != MAIN:
            # Streamlit takes no style back within a run; this one ends with the page's last element, since a link may be wrong.
            rules = (
                _style([(self.only, self.only)], large=False, knobs=self.knobs).removeprefix("<style>").removesuffix("</style>")
            )
            self.style.html(f"<style>body:not(:has(.st-key-presenter)) {{{rules}}}</style>")

    def finish(self) -> None:
        """Hide all of the page that its link does not show, now that its figures are known, and listen to the keys."""
        visit = tab.VISIT.get()
        figures = figures_of(visit)
        figure_keys = self.only or self.present
        keys = [_main(figures) if key == MAIN else key for key in figure_keys.split(SEPARATOR)] if figure_keys else []
        if any(key and _figure(key, figures) is None for key in keys):
            visit.complaints.append(_unknown(figure_keys, figures))
            self.only = self.present = figure_keys = ""
            url_state.keep(KNOBS, 0, 0)
        views = _with_views([key for key in keys if key]) if figure_keys else []
        arrival, at = tab.ARRIVAL.get()
        # Exports name the panel of a live figure behind the figure's own name.
        target = max((key for key in figures if f"{at}-".startswith(f"{key}-")), key=len, default="")
        if url_state.arriving(AT) and not target:
            visit.complaints.append(_unknown(at, figures))
        for name, value in ((ONLY, self.only), (PRESENT, self.present)):
            st.session_state[name] = value
            url_state.keep(name, value, "")
        parts = [(str(_figure(key, figures)), key) for key in views]
        if figure_keys:
            self.style.html(_style(parts, large=not self.only, knobs=self.knobs) if parts else WHOLE)
        if self.present and not self.only and parts:
            with self.above.container(key="present-head", horizontal=True, vertical_alignment="center"):
                for figure, _ in parts:
                    st.markdown(figures[figure], width="stretch")
        lesson_now = bar.current() if self.present and not self.only else None
        keys = component("presenter")(
            key="presenter",
            data={
                "only": self.only,
                "present": views if self.present else None,
                "times": TIMES,
                "foot": FOOT,
                "side": SIDE,
                "figures": {key: _selector(key) for key in figures},
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
                bar.walk(lesson, to)


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
            on_click=_turn,
            args=(MAIN,),
            help="A figure, its claim and its knobs, large. Keys: Alt and P begin, Up and Down change the figure, Shift and Down "
            "show two, Left and Right walk a lesson, Escape leaves.",
        )


def _turn(to: str) -> None:
    tab.control(PRESENT).set(to)


def _turned() -> None:
    """Present what the browser asks for: figures by their keys, or, for an empty text, the page as it is."""
    keys: Any = tab.control("presenter").get() or {}
    to = keys.get("turn")
    if isinstance(to, str) and KEYS.pattern and re.fullmatch(KEYS.pattern, to):
        _turn(to)


def _name(key: str) -> str:
    return key.replace(".", "-")


def _selector(key: str) -> str:
    """The selector of a figure, since a control may have its name."""
    return f".st-key-{_name(key)}:not(.st-key-rail *)"


def _style(parts: Sequence[tuple[str, str]], *, large: bool, knobs: bool = False) -> str:
    """The style that shows ``parts``, each a figure and its key or a panel's, ``large`` with claims and knobs, or in a frame.

    In a frame a figure is alone, or beside its ``knobs``.
    """
    figures = [_selector(figure) for figure, _ in parts]
    # The presenter's script must stay on the page to receive keys.
    beside = [".st-key-present-head", *FOOT, *SIDE[:2]] if large else [*SIDE[:2]] if knobs else []
    shown = f":is({', '.join([*figures, *beside, '.st-key-presenter'])})"
    if not large:
        rails = f":is({', '.join(SIDE[:2])})"
        more = BESIDE_IT.format(rails=rails, figure=figures[0]) if knobs else ""
        return STYLE.format(shown=shown, more=ALONE.format(shown=shown) + more)
    places = [PLACE_OF_ROW.format(row=row, at=at) for at, row in enumerate(FOOT)]
    for at, (figure, key) in enumerate(parts):
        panels, columns = (PANELS, COLUMNS) if key == figure else (f".dml-{key.rpartition('.')[2]}", "minmax(0, 1fr)")
        places.append(PLACE_OF_FIGURE.format(figure=_selector(figure), at=at, panels=panels, columns=columns))
        places += [SCENE_OF_TWO.format(figure=_selector(figure))] if len(parts) > 1 else []
    more = LARGE.format(
        times=TIMES, foot=", ".join(FOOT), side=", ".join(SIDE), shown=f":is({', '.join(figures)})", places="\n".join(places)
    )
    return STYLE.format(shown=shown, more=more)


def joined(address: str, settings: Mapping[str, str]) -> str:
    """``address`` with ``settings``."""
    return f"{address}?{urlencode(settings, safe='~')}" if settings else address


def snippet(link: str) -> str:
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
    frame_settings = {name: text for name, text in settings.items() if name not in url_state.FRAME}
    with_knobs = {KNOBS: "1"} if st.checkbox("With its knobs", key="share.knobs") else {}
    framed = joined(address, {**frame_settings, ONLY: key_of_frame, **with_knobs})
    st.code(snippet(framed), language="html", wrap_lines=True)
    st.caption("For reveal.js, Quarto or any HTML. Out of sight, and on a slide that is not shown, it sleeps.")
