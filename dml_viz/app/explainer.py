"""An explanatory page from the declaration of its room: subject, controls, presets, and sections in the order of the article.

A page names its sections; figures are computed when the browser shows them (see `dml_viz.serve.figure_store`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import glossary, provenance_log, subject_picker, tab, url_state
from dml_viz.app.article import Block, Drawing, PitfallTable, Row, Section, apply_settings
from dml_viz.app.controls import OPEN, PageControls
from dml_viz.app.page import page
from dml_viz.app.prediction_card import asker_of
from dml_viz.app.presentation import ONLY, PRESENT
from dml_viz.app.presets import active_preset, draw_sentence, preset_row
from dml_viz.app.scene_editor import EditedScene, scene_editor
from dml_viz.app.subject_picker import Chosen
from dml_viz.app.theme import theme
from dml_viz.app.training_session import REFRESH
from dml_viz.assets import ASSETS
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import Loss
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader, MovedReader
from dml_viz.room.markdown import to_the_letter
from dml_viz.room.room import NoModelError, Preset, Room
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from dml_viz.room.words import FirstFigure, line, text_of
from dml_viz.serve.figure_store import store


@dataclass(frozen=True)
class Explainer:
    """The page of ``room``: its ``claim`` in one sentence and its ``blocks`` in order, the first with the scene.

    The line on where the points are from is in the ``words`` of its first figure, which are those of the room unless given. Of a
    run, images of the points ``pictured`` are beside that line; ``shortcut`` is a button after it: a preset and its icon.
    """

    room: Room[Any, Any]
    claim: str
    blocks: tuple[Block, ...]
    words: FirstFigure | None = None
    shortcut: Callable[[Any], tuple[Preset, str]] | None = None
    pictured: Callable[[Any], Sequence[int]] = lambda _: ()
    in_side: bool = False  # whether the scene that is dragged is above the controls, in a wider column

    def run(self) -> None:
        """Draw the page."""
        room, points = self.room, self.room.source
        assert isinstance(points, Points)
        asker = asker_of(room, room.predictions)
        with page(room.title, self.claim, asker) as corner:
            settings: Any = None

            def editor() -> EditedScene:
                return scene_editor(room.key, points, *room.drawn(settings))

            for old, new in room.old_keys.items():
                url_state.rename_setting(old, new)
            url_state.set_initial_settings(room.opens)
            with st.container(key="head"):
                subject = subject_picker.choose_subject(corner, editor, self._own_loss)
                preset_row(
                    [preset for preset in room.presets if preset is not room.lesson], room.presets_heading, see=room.lesson
                )

            if self.in_side and subject.editor:
                st.html(ASSETS / "css" / "in_side.css")

            begun, known = tab.VISIT.get().copied(), tab.TERMS.get()

            def rest() -> None:
                """Draw the controls and the article. A control that moves runs this alone again, as if the page had run."""
                nonlocal settings
                url_state.restore_visit(begun)
                provenance_log.begin(room.title)
                glossary.begin(known)
                bar = None
                if room.bar:
                    bar = st.container(horizontal=True, vertical_alignment="center", key="switches")
                scene_holder: DeltaGenerator | None = None
                if self.in_side and subject.editor:
                    left, article_holder = st.columns([5, 11], gap="medium")
                    side = left.container(key=f"{room.figure_prefix}-rail")
                    scene_holder = side.container()
                else:
                    left, article_holder = st.columns([1, 4], gap="medium")
                    side = left.container(key="rail")
                with side:
                    settings = room.settings(PageControls(bar, OPEN), subject.room_subject())
                provenance_log.note_losses_of_room(room, settings)
                moving = subject.moving()

                article = st.fragment(run_every=REFRESH if moving else None)(self._article)
                with article_holder:
                    article(settings, subject, scene_holder, moving, tab.TERMS.get(), asker.prediction_figures)

            # What is above says more of a run where a control moves, and what is presented is chosen when all is drawn.
            if subject.editor and not any(tab.control(name).get() for name in (ONLY, PRESENT)):
                st.fragment(rest)()
            else:
                with st.container():
                    rest()

    def _article(
        self,
        settings: Any,
        subject: Chosen,
        place: DeltaGenerator | None,
        moving: bool,
        known: frozenset[str],
        asked: tuple[str, ...] = (),
    ) -> None:
        room = self.room
        # A click has changed a control beside the figures, or the run has come to a stop.
        if tab.CLICKED.of(room.key).pop() or (moving and not subject.moving()):
            st.rerun()
        glossary.begin(known)
        above = st.container()
        first, *others = self.blocks
        row = first if isinstance(first, Row) else Row(first)
        if asked:  # the figures of a question, in place of all others
            row, others = Row(row.sections[0], Section("The answer is drawn here", *asked, stacked=True)), []
        places = st.columns(row.widths, gap="medium")
        scene, *more = row.sections
        assert isinstance(scene, Section)
        if not self.in_side:
            with places[0]:
                claim = text_of(scene.claim, settings)
                provenance_log.note_claim(claim)
                glossary.say(claim, "subheader", anchor=False)
        with place or places[0]:
            editor = subject.editor() if subject.editor else None
        shown, link = subject.room_subject(), url_state.written_settings()

        def of(settings: Any) -> tuple[Embeddings, Any]:
            if editor is None:
                return room.from_run(shown, settings)
            return editor.subject, replace(settings, **room.of_roles(editor.picked))

        def moved(*slider: str) -> tuple[Embeddings, Any]:
            return of(MovedReader(link, *slider).settings(room.settings, shown))

        embeddings, settings = of(settings)
        display = Display(theme(), (editor or subject).names, tuple(embeddings.y.tolist()), editor is None)
        offer = store().offer(room, embeddings, settings, display, moved, tab=subject.file_tab)
        try:
            model = offer.model
        except NoModelError as none:
            above.info(str(none))
            model = None
        drawing = Drawing(offer, model, subject, editor)
        if model is not None:
            with places[0] if editor and not self.in_side else above:
                self._provenance(drawing)
            with above:
                draw_sentence(
                    room.key, {preset: preset.says for preset in room.presets if preset.says}, model, stays=room.presets_stay
                )
            with places[0]:
                scene(drawing, claimed=not self.in_side)
            for section, place in zip(more, places[1:], strict=True):
                with place:
                    section(drawing)
        for block in others:
            if model is not None or isinstance(block, PitfallTable):
                block(drawing)
        if not (editor and editor.moving):
            url_state.write_address()

    def _own_loss(self) -> Loss | None:
        """The first of the page's losses, at the knobs in its address."""
        for link in (url_state.address_settings(), {}):
            try:
                settings = self.room.settings(LinkReader(link), Subject())
            except ValueError:
                continue
            return next(iter(self.room.losses(settings)), None)
        return None

    def _provenance(self, drawing: Drawing) -> None:
        """Where the points come from, and in what roles, in one line."""
        model, images = drawing.model, drawing.chosen.images
        with st.container(horizontal=True, vertical_alignment="center", key="provenance"):
            if images is not None:
                for point in self.pictured(model):
                    st.image(images[point], width=48)
            words = self.words or self.room.words
            assert words
            glossary.say(to_the_letter(line(words, drawing.offer.embeddings.provenance, model, drawing.display)), "caption")
            if self.shortcut:
                preset, icon = self.shortcut(model)
                st.button(
                    preset.label,
                    key=f"{self.room.key}.shortcut",
                    type="tertiary",
                    icon=icon,
                    on_click=apply_settings,
                    args=(self.room, preset.settings),
                    disabled=active_preset(preset) is not None,
                )
