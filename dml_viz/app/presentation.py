"""A page on a wall or in slides: *Present* shows a claim and its figure, large; a frame shows one figure alone."""

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import lesson, provenance_log, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.lessons import bar
from dml_viz.app.markdown import to_the_letter
from dml_viz.params import Param

ONLY, PRESENT, MAIN = "only", "present", "main"
# The key of a figure in a link, or `MAIN` for the first one of the page; empty for none.
KEY = Param(
    "figure", "", "", f"figure; write its name as Share does, or {MAIN}", pattern=f"(?a)({lesson.KEY.pattern})?"
)
CHOSEN, FRAME_HEIGHT = "share.figure", 520  # px
# Elements without any of {shown} are hidden; columns that stay are as wide as the page.
STYLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] {{ display: none !important; }}
[data-testid="stMainBlockContainer"] {{ padding: {padding} !important; max-width: none !important; }}
[data-testid="stMainBlockContainer"] :is([data-testid="stElementContainer"], [data-testid="stColumn"], [data-testid="stExpander"],
  [data-testid="stLayoutWrapper"]):not({shown}, {shown} *, :has({shown})) {{ display: none !important; }}
[data-testid="stColumn"]:has({shown}) {{ flex: 1 1 100% !important; min-width: 100% !important; }}
[data-testid="stColumn"] > div, div:has(> .st-key-rail), [class*="-rail"] {{
  position: static !important; max-height: none !important; overflow: visible !important;
}}
{large}
</style>"""
# On a screen of 1366 x 768 px the smallest words of a figure, which have 12 px, can then be read from the last row.
TIMES = 1.72
# The presenter's script enlarges the figure on a larger screen, and sets the height that is left for it; the styles of figures
# (assets/css) read their layout from here, and have defaults for a page that is not presented.
LARGE = """
html {{ --dml-times: {times}; --dml-left: 300px; }}
[data-testid="stExpander"] summary {{ display: none !important; }}
.st-key-{key} {{ width: calc(100% / var(--dml-times)) !important; transform: scale(var(--dml-times)); transform-origin: 0 0;
  will-change: transform;  /* else Chromium draws what is half transparent several times over */
  --dml-room: var(--dml-left); --dml-aside: none; --dml-beside: grid; --dml-row: row; --dml-head: 104px; --dml-words: 13px;
  --dml-slider: 120px; --dml-number: 1fr; --dml-span: auto; --dml-later: 1; --dml-name: 0; --dml-wrap: normal;
  --dml-many: repeat(4, max-content minmax(0, 1fr)); }}
.st-key-present-claim p {{ font-size: calc(19px * var(--dml-times)); font-weight: 600; line-height: 1.2; padding-right: 9rem; }}
:is(.st-key-lesson-bar, .st-key-prediction, .st-key-present-leave) :is(p, label, div) {{ font-size: 22px; }}
.st-key-present-leave {{ position: fixed; top: 0.5rem; right: 0.5rem; width: auto !important; z-index: 99; }}
"""
# A page without figures is shown whole, larger.
WHOLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none !important; }
[data-testid="stMainBlockContainer"] { zoom: 1.85; padding: 1rem !important; }
</style>"""


class Presentation:
    """The part of the page that its link shows; the claim is drawn in ``above``."""

    def __init__(self, above: DeltaGenerator) -> None:
        self.above, self.style = above.empty(), above.empty()
        self.only, self.present = (str(url_state.setting(name, KEY)) for name in (ONLY, PRESENT))
        if self.only and self.only != MAIN:
            # Streamlit takes no style back within a run; this one ends with the page's last element, since a link may be wrong.
            rules = _style(self.only, large=False).removeprefix("<style>").removesuffix("</style>")
            self.style.html(f"<style>body:not(:has(.st-key-presenter)) {{{rules}}}</style>")

    def finish(self) -> None:
        """Hide all of the page that its link does not show, now that its figures are known, and listen to the keys."""
        visit: url_state.Visit = st.session_state[url_state.VISIT]
        figures = figures_of(visit)
        asked = self.only or self.present
        figure = _main(figures) if asked == MAIN else asked
        if figure and figure not in figures:
            known = f"write {', '.join(figures)}" if figures else "it has none"
            visit.complaints.append(to_the_letter(f"figure {asked[:30]!r} is not on this page; {known}"))
            self.only = self.present = figure = asked = ""
        for name, value in ((ONLY, self.only), (PRESENT, self.present)):
            st.session_state[name] = value
            url_state.keep(name, value, "")
        if asked:
            self.style.html(_style(figure, large=not self.only) if figure else WHOLE)
        if self.present and not self.only:
            if figure:
                with self.above.container(key="present-claim"):
                    st.markdown(figures[figure])
            st.button("Leave (Esc)", key="present-leave", type="tertiary", on_click=_turn, args=(False,))
        keys = component("presenter")(
            key="presenter",
            data={"only": self.only and _name(figure), "present": self.present and _name(figure), "times": TIMES},
            on_turn_change=_turned, on_walk_change=lambda: None,
        )  # fmt: skip
        if keys.walk and (now := bar.current()):
            path, at = now
            if 0 <= (to := at + int(keys.walk)) < len(path.stations):
                bar.walk(path, to)


def figures_of(visit: url_state.Visit) -> dict[str, str]:
    """The figures of a page by their keys, with the claim of each."""
    return {
        key.removeprefix(lesson.FIGURE): label.removeprefix("figure “").removesuffix("”")
        for key, label in visit.offered.items() if key.startswith(lesson.FIGURE)
    }  # fmt: skip


def _main(figures: dict[str, str]) -> str:
    """The first figure with a claim of its own, else the first; empty without any."""
    title = provenance_log.notes().title
    return next((key for key, claim in figures.items() if claim != title), next(iter(figures), ""))


def button() -> None:
    """Draw the button that presents the page."""
    with st.container(key="present-button", width="content"):
        st.button(
            "Present", icon=":material/present_to_all:", key="present.open", on_click=_turn, args=(True,),
            help="The figure and its claim, large: key P. Arrow keys walk a lesson, Escape leaves.",
        )  # fmt: skip


def _turn(on: bool) -> None:
    st.session_state[PRESENT] = MAIN if on else ""


def _turned() -> None:
    keys: Any = st.session_state.get("presenter") or {}
    if keys.get("turn") is not None:
        _turn(bool(keys["turn"]))


def _name(key: str) -> str:
    return key.replace(".", "-")


def _style(key: str, *, large: bool) -> str:
    shown = [f".st-key-{_name(key)}"]
    if large:
        shown += [f".st-key-{name}" for name in ("present-claim", "present-leave", "lesson-bar", "prediction")]
    more = LARGE.format(key=_name(key), times=TIMES) if large else ""
    # The presenter's script draws nothing, but must stay on the page to receive keys.
    return STYLE.format(
        shown=f":is({', '.join([*shown, '.st-key-presenter'])})", padding="1rem" if large else "0", large=more
    )


def joined(address: str, settings: Mapping[str, str]) -> str:
    """``address`` with ``settings``."""
    return f"{address}?{urlencode(settings, safe='~')}" if settings else address


def snippet(link: str) -> str:
    """An iframe of ``link``, for reveal.js, Quarto and any HTML."""
    return (
        f'<iframe src="{escape(link)}" width="100%" height="{FRAME_HEIGHT}" style="border: 0" loading="lazy"></iframe>'
    )


def offer_frame(address: str, settings: Mapping[str, str]) -> None:
    """Draw the choice of a figure and the lines for it; ``settings`` are those of the page at ``address``."""
    figures = figures_of(st.session_state[url_state.VISIT])
    if not figures:
        st.caption("This page has no figure.")
        return
    alike = list(figures.values())
    names = {key: claim if alike.count(claim) == 1 else f"{claim} ({key})" for key, claim in figures.items()}
    chosen = st.selectbox("Figure", tuple(figures), format_func=names.__getitem__, key=CHOSEN)
    own = {name: text for name, text in settings.items() if name not in url_state.FRAME}
    st.code(snippet(joined(address, {**own, ONLY: chosen})), language="html", wrap_lines=True)
    st.caption("For reveal.js, Quarto or any HTML. Out of sight, and on a slide that is not shown, it sleeps.")
