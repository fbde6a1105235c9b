"""The page Your data, drawn."""

import streamlit as st

from dml_viz.app import glossary, provenance_log
from dml_viz.app.controls import OPEN, PageControls
from dml_viz.app.figure import of_room, offer_of_room
from dml_viz.app.own import files, images, loss_page_links
from dml_viz.app.page import page, section
from dml_viz.app.subject_picker import OWN_FILE
from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.explain.your_data import ROOM
from dml_viz.explain.your_data import text as say
from dml_viz.explain.your_data.card_of_rows import all_rows
from dml_viz.explain.your_data.example import example, scored_example
from dml_viz.explain.your_data.failures import PICTURE, by_class
from dml_viz.explain.your_data.model import Model, Settings
from dml_viz.explain.your_data.settings import VERSIONS, choose_projection
from dml_viz.room import fingerprint
from dml_viz.room.markdown import to_the_letter
from dml_viz.room.room import NO_POINTS
from dml_viz.room.source import Picture

TABLE = 460  # pixels


def draw_images(found: OwnImages) -> None:
    """Draw the images, with links to the pages that train on them."""
    settings = Settings((), found)
    provenance_log.note_scene(fingerprint.named_images(found))
    with section(
        say.claim_of_images(ROOM.model(NO_POINTS, settings)),
        look_for="what tells the classes apart: a net has to find just that, and pixels see everything else, too.",
        misleads="up to eight images of a class are shown, in grey and made smaller, as a net is given them.",
    ):
        for name, column in zip(("trained_on", "never_seen"), st.columns(2, gap="medium"), strict=True):
            with column:
                of_room(ROOM, name, settings)
    link = {images.DATA: images.NAME, images.KEY: found.short_fingerprint}
    loss_page_links.draw(link, say.TRAINS, "Pages that train nets on these images:")


def draw_failures(model: Model) -> None:
    """Draw the tables of what fails: the classes of all files, and the rows of the last file."""
    last = model.failures[-1]
    with section(
        say.claim_of_failures(last, model.titles[-1]),
        look_for="two classes that are taken for each other: one thing under two names, or two things that the net sees as one.",
        misleads="a class is taken for the one that is nearest to more of its queries than any other, which may still be few.",
    ):
        tables = {
            "Classes": (by_class(model.failures, model.titles), say.CLASSES),
            "Worst queries": (last.worst_queries, say.WORST),
            "Suspected labels": (last.suspected_labels, say.SUSPECTED),
            "Near duplicates": (last.near_duplicates, say.TWINS),
            "Hubs": (last.hubs, say.HUBS),
        }
        for tab, (table, caption) in zip(st.tabs(list(tables)), tables.values(), strict=True):
            with tab:
                glossary.say(caption, "caption")
                if not next(iter(table.values())):
                    st.markdown("None in this file.")
                    continue
                pictures = {
                    name: st.column_config.ImageColumn(width="small")
                    for name, cells in table.items()
                    if str(cells[0]).startswith(PICTURE)
                }
                shares = [name for name in table if name.startswith(say.SHARES)]
                numbers = dict.fromkeys(shares, st.column_config.NumberColumn(format="%.3f"))
                st.dataframe(table, hide_index=True, column_config=pictures | numbers, placeholder="–", height=TABLE)


def draw_figures(scored_files: tuple[Scored, ...], picture: Picture, *, brought: bool = True) -> None:
    """Draw the figures of one file or of two, with links to other pages if the visitor has ``brought`` them."""
    [first, *_] = scored_files
    settings = Settings(scored_files, picture=picture)
    all_rows(ROOM, settings, brought=brought)
    if unlabelled := [scored for scored in scored_files if not scored.file.labelled]:
        st.info(say.without_labels(unlabelled[0].file.title), icon=":material/label_off:")
        return
    if brought and not all(scored.knows("nearest", "ranked") for scored in scored_files):
        return

    def draw(name: str) -> None:
        of_room(ROOM, name, settings, embeddings=first.embeddings)

    # The model that the figures share: what it has found out is found out once.
    model = offer_of_room(ROOM, settings, first.embeddings).model
    for found in model.failures:
        if found.modality_gap_sizes:
            st.warning(say.hint_of_two_kinds(found.scored.file.title, *found.modality_gap_sizes))
    left, right = st.columns(2, gap="medium")
    with section(
        say.claim_of_metrics(scored_files),
        left,
        look_for="R@1 and mAP that disagree: the nearest row is right, and many others of the class are far.",
        misleads="metrics fall as the gallery grows; compare files of the same rows only.",
    ):
        draw("scores")
        glossary.say(
            f"{say.queries_in_words(scored_files)}, by cosine similarity{say.exactness_of_cosines(scored_files)}.", "caption"
        )
    with section(
        "A mean hides the classes that fail",
        right,
        look_for="the lowest classes: hover shows their names.",
        misleads="a class of few rows has few queries, so its number is uncertain.",
    ):
        draw("classes")
    draw_failures(model)
    with section(
        "Retrieval works where positive pairs are nearer than negative ones",
        look_for="how much the two curves overlap.",
        misleads="the pairs are those of the rows drawn; each density has area 1, though negative pairs are many more.",
    ):
        draw("distances")
    if brought:
        st.subheader("The same rows under the losses", anchor=False)
        loss_page_links.draw({"subject": OWN_FILE, files.FIRST: files.short(first)})


def without_files(picture: Picture) -> None:
    """Draw the request for the file of a link; without one, the example and the button that gives the visitor its files."""
    if fingerprint := files.linked_fingerprint() or images.linked_images():
        glossary.say(say.file_request(fingerprint, files.linked_fingerprint(files.SECOND)))
        return
    glossary.say(say.EXAMPLE)
    with st.container(horizontal=True, vertical_alignment="center", key="example"):
        taken = st.button(
            "Take it as your files", icon=":material/science:", help="Then every page of the losses can show these rows."
        )
    if taken:
        for key, file in zip((files.FIRST, files.SECOND), example(), strict=True):
            files.read_as_session_file(key, [file], train=False)
        st.rerun()
    draw_figures(scored_example(), picture, brought=False)


def run() -> None:
    """Draw the page."""
    with page(
        "Your data",
        "Bring **embeddings** from your own net to score and look at, or **images** to train nets on. "
        "Rows without labels are only drawn.",
    ):
        controls = PageControls(most=OPEN)
        controls.of_version(VERSIONS)
        side, column = st.columns([1, 4], gap="medium")
        with side.container(key="files"):
            files.droppers(files.FIRST)
            first, second = (files.link_session_file(key) for key in (files.FIRST, files.SECOND))
            images.linked_images()
            pictures = images.session_images()
            if first:
                files.dropper(files.SECOND, "Compare with")
                if not second and (fingerprint := files.linked_fingerprint(files.SECOND)):
                    glossary.say(say.second_file_request(fingerprint), "caption")
            for key, scored in ((files.FIRST, first), (files.SECOND, second)):
                if scored and st.button(
                    f"Remove {to_the_letter(scored.file.title)}", icon=":material/close:", key=f"{key}.remove"
                ):
                    files.forget_file(key)
                    st.rerun()
            if pictures and st.button(
                f"Remove images of {to_the_letter(pictures.title)}", icon=":material/close:", key="images.remove"
            ):
                images.forget_images()
                st.rerun()
            picture = choose_projection(controls)
            with st.expander("Formats"):
                glossary.say(say.formats())
            glossary.say(say.PRIVACY, "caption")
        with column:
            if pictures:
                draw_images(pictures)
            if first:
                draw_figures((first, second) if second else (first,), picture)
            elif not pictures:
                without_files(picture)
