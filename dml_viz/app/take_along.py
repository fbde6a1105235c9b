"""*Take it along*: the page, or its lesson, as one file that needs no server, and lines that put the file into other pages."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

import streamlit as st

from dml_viz.app import presentation, tab
from dml_viz.app.component_loader import component
from dml_viz.app.share_address import home_of, is_of_this_machine
from dml_viz.app.theme import theme
from dml_viz.plot.style import palette
from dml_viz.room.component_data import TakeData
from dml_viz.room.lesson_text import NAME, STATION
from dml_viz.serve.take_route import BASE, JOB

ROUTE = "take"  # of dml_viz/serve/take_route.py
FIRST, LESSON = "start", "lesson"  # the address of the first page there, and the page of lessons
JOBS: Mapping[str, str] = MappingProxyType({"train": "live", "race": "race"})  # the name of a page's job in the session
WHERE = "share.take.where"
FRAME = 'sandbox="allow-scripts" width="100%" height="820" style="border: 0"'
# What stands around the frame in each place, or what to do there; {file} is the name of the file.
SNIPPETS: Mapping[str, str] = MappingProxyType({
    "HTML": f'<iframe src="{{file}}" {FRAME} loading="lazy"></iframe>',
    "reveal.js": f'<section>\n  <iframe data-src="{{file}}" {FRAME}></iframe>\n</section>',
    "Quarto": f'```{{{{=html}}}}\n<iframe src="{{file}}" {FRAME}></iframe>\n```\n\nIn the YAML above: resources: ["{{file}}"]',
    "Jupyter Book": f'```{{{{raw}}}} html\n<iframe src="_static/{{file}}" {FRAME}></iframe>\n```\n\nPut the file into _static.',
    "Moodle": "Add an activity or resource > File, upload {file}, Appearance > Display: Embed.",
})  # fmt: skip
LIVE = (
    "Points are dragged in it, questions answered and the steps of a recorded run scrubbed as here. What it cannot compute is "
    "drawn as this page has it now, and says “as saved”."
)


def offer_file(url: str, settings: Mapping[str, str]) -> None:
    """Offer the page at ``url`` with ``settings`` as a file, and code that embeds it in a web page, slides or a course."""
    page = tab.PAGE.get()
    whole = NAME in settings or page == LESSON
    here = {name: text for name, text in settings.items() if name not in (NAME, STATION)}
    if whole:
        _button("Save the lesson", page, {NAME: settings[NAME]} if NAME in settings else {}, "lesson.html", url)
    alone = getattr(import_module(f"dml_viz.explain.{page or FIRST}"), "ROOM", None)
    if alone is None or not alone.taken_along:
        if page != LESSON:
            st.caption(
                "This page has no scene and no run, so that it cannot be a file by itself. Its figures have files of their own."
            )
        if not whole:
            return
    else:
        _button("Save this page", page, here, f"{page or FIRST}.html", url)
    st.caption(LIVE)
    where = st.segmented_control("Into", tuple(SNIPPETS), default="HTML", required=True, key=WHERE)
    name = "lesson.html" if whole else f"{page or FIRST}.html"
    st.code(SNIPPETS[where or "HTML"].format(file=name), language=None, wrap_lines=True)


def _button(label: str, page: str, settings: Mapping[str, str], file: str, url: str) -> None:
    job = tab.JOB.of(JOBS[page]).get() if page in JOBS else ""
    home = f"{home_of(url, page)}/"
    more = {JOB: job, BASE: "" if is_of_this_machine(home) else home}
    link = presentation.address_with(
        f"{ROUTE}/{page or FIRST}", {**settings, **{key: text for key, text in more.items() if text}}
    )
    data: TakeData = {"label": label, "address": link, "file": file, "theme": theme(), "palette": palette()}
    component("take")(key=f"share.take.{file}", data=data)
