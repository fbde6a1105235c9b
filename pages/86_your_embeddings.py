"""Your embeddings

Bring embeddings of your own: their retrieval metrics, their classes, and every picture of this app on them.
"""

import streamlit as st

from dml_viz.app import glossary, provenance_log
from dml_viz.app.figure import of_room
from dml_viz.app.frame import targets
from dml_viz.app.own import files
from dml_viz.app.page import page, section
from dml_viz.app.subject_picker import OWN_FILE
from dml_viz.data.own import Scored
from dml_viz.explain.your_embeddings import ROOM
from dml_viz.explain.your_embeddings import text as say
from dml_viz.explain.your_embeddings.example import example
from dml_viz.explain.your_embeddings.model import Settings


def article(chosen: tuple[Scored, ...]) -> None:
    """Draw what one file, or two, have to show."""
    [first, *_], settings = chosen, Settings(chosen)
    provenance_log.scene(" and ".join(map(say.named, chosen)))

    def draw(name: str) -> None:
        of_room(ROOM, name, first.embeddings, settings)

    with section(
        say.claim(ROOM.model(first.embeddings, settings)),
        look_for="classes that are mixed here and far apart in another file.",
        misleads="two of many dimensions are shown, and at most 500 rows: points that lie on each other may be far apart.",
    ):
        draw("plane")
    left, right = st.columns(2, gap="medium")
    with left, section(
        "The metrics count every row",
        look_for="R@1 and mAP that disagree: the nearest row is right, and many others of the class are far.",
        misleads="metrics fall as the gallery grows; compare files of the same rows only.",
    ):  # fmt: skip
        draw("scores")
        glossary.say(f"{first.as_asked.capitalize()}, by cosine similarity.", "caption")
    with right, section(
        "A mean hides the classes that fail",
        look_for="the lowest classes: hover shows their names.",
        misleads="a class of few rows has few queries, so its number is uncertain.",
    ):  # fmt: skip
        draw("classes")
    with section(
        "Retrieval works where positive pairs are nearer than negative ones",
        look_for="how much the two curves overlap.",
        misleads="the pairs are those of the rows drawn; each density has area 1, though negative pairs are many more.",
    ):
        draw("distances")
    st.subheader("The same rows under the losses", anchor=False)
    glossary.say("What each loss sees in these points, and how it would move them.", "caption")
    link = {"subject": OWN_FILE, files.FIRST: files.short(first)}
    with st.container(horizontal=True):
        for path in (path for path in say.DOORS if path in targets()):
            st.page_link(targets()[path], query_params=link)


with page(
    "Your embeddings",
    "Bring **embeddings with labels** from your own net: all rows are scored, and every page of a loss can show them.",
):
    side, shown = st.columns([1, 4], gap="medium")
    with side.container(key="rail"):
        files.dropper(files.FIRST, "Your file")
        first, second = files.of_session(files.FIRST), None
        if first:
            files.dropper(files.SECOND, "Compare with")
            second = files.of_session(files.SECOND)
        elif st.button("Try with icons", icon=":material/science:"):
            for key, file in zip((files.FIRST, files.SECOND), example(), strict=True):
                files.score(key, [file])
            st.rerun()
        for key, one in ((files.FIRST, first), (files.SECOND, second)):
            if one and st.button(f"Remove {one.file.title}", icon=":material/close:", key=f"{key}.remove"):
                files.leave(key)
                st.rerun()
        glossary.say(say.PRIVACY, "caption")
    with shown:
        if first:
            article((first, second) if second else (first,))
        else:
            glossary.say(say.wanted(files.asked_for()))
