"""An explanatory page from the declaration of its room: subject, controls, presets, and sections in the order of the article.

A page names its sections; figures are computed when the browser shows them (see `dml_viz.app.figure_store`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any, TypeAlias

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz import pitfalls
from dml_viz.app import figure, provenance_log, replay_progress, subject_picker, url_state
from dml_viz.app.columns import side_column
from dml_viz.app.figure_store import Move, store
from dml_viz.app.link_reader import MovedReader
from dml_viz.app.page import beats, page
from dml_viz.app.page import section as titled
from dml_viz.app.page_controls import PageControls
from dml_viz.app.predictions import of_room
from dml_viz.app.predictions.drawer import Asker
from dml_viz.app.presets import break_it, chosen, head, say
from dml_viz.app.room import NoModelError, Preset, Room, Shown, figure_name
from dml_viz.app.scene_editor import EditedScene, scene_editor
from dml_viz.app.subject_picker import Chosen
from dml_viz.app.theme import theme
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.plot.display import Display

Text: TypeAlias = str | Callable[[Any], str]  # words, or a function of the model that gives them


class Section:
    """A claim, its figures side by side, what to look for, and how the picture misleads.

    ``figures`` are names of the room's, ``widths`` their shares of the width, ``headings`` Markdown above each. Where ``scene``
    is true the scene that is dragged stands in their place, and of a run the figures; ``again`` has the figures behind a click,
    too. ``below`` draws what else belongs to it.
    """

    def __init__(
        self, claim: Text, *figures: str, look_for: Text = "", misleads: Text = "", widths: tuple[int, ...] = (),
        headings: Callable[[Any], Sequence[str]] | None = None, scene: bool = False, again: bool = False,
        below: Callable[[Drawing], None] | None = None,
    ) -> None:  # fmt: skip
        self.claim, self.figures, self.look_for, self.misleads = claim, figures, look_for, misleads
        self.widths, self.headings, self.scene, self.again, self.below = widths, headings, scene, again, below


class Row:
    """Blocks side by side; ``widths`` are their shares of the width."""

    def __init__(self, *sections: Block, widths: tuple[int, ...] = ()) -> None:
        self.sections, self.widths = sections, widths


@dataclass(frozen=True)
class Formula:
    """Formulas in LaTeX, of the loss or in the model's numbers, each in a line of its own, and a remark below."""

    lines: Callable[[Any], Sequence[str]]
    key: str = "formula"
    remark: Text = ""


@dataclass(frozen=True)
class Claims:
    """The pitfalls of ``losses``, file names, in a table; ``here`` gives sentences on a model by the name of the pitfall."""

    losses: tuple[str, ...]
    here: Callable[[Any], Mapping[str, str]] | None = None


@dataclass(frozen=True)
class Drawer:
    """Blocks behind one click."""

    label: str
    blocks: tuple[Block, ...]


# A function draws what no declaration says; it is given the `Drawing`.
Block: TypeAlias = "Section | Row | Formula | Claims | Drawer | Callable[[Drawing], None]"


@dataclass(frozen=True)
class Drawing:
    """What the blocks of an article draw: the model (or None, for a ``reason``) and how its figures are shown."""

    room: Room[Any, Any]
    settings: Any
    embeddings: Embeddings
    model: Any
    display: Display
    chosen: Chosen
    editor: EditedScene | None = None
    reason: str = ""
    moved: Move | None = None

    def text(self, text: Text) -> str:
        """``text``, asked of the model where it is a function."""
        return text if isinstance(text, str) else text(self.model)

    def figure(self, name: str) -> None:
        """Draw a figure of the room."""
        room = self.room
        clickable = room.click is not None and name in room.clickable

        def click(point: int) -> None:
            assert room.click is not None
            settings = room.click(self.model, point)
            # A scene reads who plays which role where it is drawn, with the figures.
            _take(room, settings) if self.editor is None else st.session_state.update(settings)

        figure.figure(
            store().offer(room, name, self.embeddings, self.settings, self.display, self.moved),
            key=figure_name(room, name), theme=self.display.theme, link=room.key, on_click=click if clickable else None,
        )  # fmt: skip

    def figures(self, names: Sequence[str], widths: Sequence[int] = (), headings: Sequence[str] = ()) -> None:
        """Draw figures of the room side by side, each below its heading."""
        places = st.columns(widths or len(names), gap="medium") if len(names) > 1 else [st.container() for _ in names]
        for name, place, heading in zip_longest(names, places, headings):
            with place:
                if heading:
                    st.markdown(heading)
                self.figure(name)

    def body(self, section: Section) -> None:
        """Draw a section below its claim; a scene that is dragged is drawn already."""
        headings = section.headings(self.model) if section.headings else ()
        if not (section.scene and self.editor):
            self.figures(section.figures, section.widths, headings)
        elif section.again:
            with st.expander("The same points with every number, on hover"):
                self.figures(section.figures, section.widths, headings)
        if section.below:
            section.below(self)
        beats(self.text(section.look_for), self.text(section.misleads))

    def block(self, block: Block) -> None:
        """Draw a block."""
        if isinstance(block, Row):
            places = st.columns(block.widths or len(block.sections), gap="medium")
            for section, place in zip(block.sections, places, strict=True):
                with place:
                    self.block(section)
        elif isinstance(block, Formula):
            with st.container(key=f"{self.room.begins}-{block.key}"):
                for line in block.lines(self.model):
                    st.latex(line)
                if remark := self.text(block.remark):
                    st.caption(remark)
        elif isinstance(block, Claims):
            here = block.here(self.model) if block.here and self.model else {}
            with titled("Common claims, checked", misleads=pitfalls.misleads(block.losses)):
                st.container(key=f"{self.room.begins}-facts").markdown(pitfalls.table(block.losses, here))
        elif isinstance(block, Drawer):
            with st.expander(block.label):
                for inner in block.blocks:
                    self.block(inner)
        elif callable(block):
            block(self)
        else:
            provenance_log.claim(self.text(block.claim))
            st.subheader(self.text(block.claim), anchor=False)
            self.body(block)


@dataclass(frozen=True)
class Explainer:
    """The page of ``room``: its ``claim`` in one sentence and its ``blocks`` in order, the first with the scene.

    ``caption`` ends the line on where the points are from, after ``size``, how many there are. Of a run, images of the points
    ``pictured`` are beside that line; ``shortcut`` is a button after it: a preset and its icon.
    """

    room: Room[Any, Any]
    claim: str
    blocks: tuple[Block, ...]
    caption: Callable[[Any, Display], str]
    shortcut: Callable[[Any], tuple[Preset, str]] | None = None
    pictured: Callable[[Any], Sequence[int]] = lambda _: ()
    size: str = "{size} points in {dim} dimensions;"
    in_side: bool = False  # whether the scene that is dragged is above the controls, in a wider column

    def run(self) -> None:
        """Draw the page."""
        room = self.room
        with page(room.title, self.claim, Asker(room.predictions, partial(of_room.models, room))) as corner:
            if room.style:
                st.html(room.style)
            settings: Any = None

            def editor() -> EditedScene:
                losses, drawn = room.drawn(settings)
                scene = room.scene
                return scene_editor(
                    key=room.key, overlay=scene.overlay, default=scene.default, losses=losses, settings=drawn,
                    stars=scene.proxies, choose=scene.roles, picked=scene.picked, scenes=scene.scenes(),
                    height=scene.height,
                )  # fmt: skip

            if room.scene.old_key:
                url_state.renamed(room.scene.old_key, f"{room.key}.scene")
            with head():
                subject = subject_picker.choose_subject(corner, editor)
                break_it([preset for preset in room.presets if preset is not room.lesson], see=room.lesson)
            bar = (
                st.container(horizontal=True, vertical_alignment="center", key=f"{room.begins}-switches")
                if room.bar
                else None
            )
            place: DeltaGenerator | None = None
            if self.in_side and subject.editor:
                left, shown = st.columns([5, 11], gap="medium")
                side = left.container(key=f"{room.begins}-rail")
                place = side.container()
            else:
                side, shown = side_column()
            with side:
                settings = room.settings(PageControls(bar), self._shown(subject))
            provenance_log.shown({str(place): loss for place, loss in enumerate(room.losses(settings))})
            moving = subject.moving()

            @st.fragment(run_every=replay_progress.REFRESH if moving else None)
            def article() -> None:
                # A click has changed a control beside the figures, or the run has come to a stop.
                if st.session_state.pop(f"{room.key}.clicked", False) or (moving and not subject.moving()):
                    st.rerun()
                self._article(settings, subject, place)

            with shown:
                article()

    def _article(self, settings: Any, subject: Chosen, place: DeltaGenerator | None) -> None:
        above = st.container()
        first, *others = self.blocks
        sections = first.sections if isinstance(first, Row) else (first,)
        widths = first.widths if isinstance(first, Row) and first.widths else [1] * len(sections)
        places = st.columns(widths, gap="medium")
        scene = sections[0]
        assert isinstance(scene, Section)
        if not self.in_side:
            with places[0]:
                claim = scene.claim if isinstance(scene.claim, str) else scene.claim(settings)
                provenance_log.claim(claim)
                st.subheader(claim, anchor=False)
        with place or places[0]:
            editor = subject.editor() if subject.editor else None
        drawing = self._drawing(settings, subject, editor)
        if drawing.model is None:
            above.info(drawing.reason)
        else:
            with places[0] if editor and not self.in_side else above:
                self._provenance(drawing)
            with above:
                say(self.room.key, self._sentences(), drawing.model)
            with places[0]:
                drawing.block(scene) if self.in_side else drawing.body(scene)
            for section, place in zip(sections[1:], places[1:], strict=True):
                with place:
                    drawing.block(section)
        for block in others:
            if drawing.model is not None or isinstance(block, Claims):
                drawing.block(block)

    def _shown(self, subject: Chosen) -> Shown:
        if subject.editor:
            return Shown(0, of_run=False)
        embeddings = subject.subject()
        if self.room.from_run is None or subject.live is None:
            return Shown(len(embeddings.y), of_run=True)
        return Shown(len(embeddings.y), True, embeddings, subject.live, subject.step)

    def _drawing(self, settings: Any, subject: Chosen, editor: EditedScene | None) -> Drawing:
        room, shown, link = self.room, self._shown(subject), url_state.link()
        batch = editor.subject if editor else shown.embeddings or subject.subject()

        def of(settings: Any) -> tuple[Embeddings, Any]:
            if editor:
                return batch, room.with_roles(settings, editor.picked)
            return room.from_run(shown, settings) if room.from_run and shown.live else (batch, settings)

        def moved(*slider: str) -> tuple[Embeddings, Any]:
            return of(MovedReader(link, *slider).settings(room, shown))

        embeddings, settings = of(settings)
        names = editor.names if editor else subject.names
        display = Display(theme(), tuple(names), tuple(embeddings.y.tolist()), editor is None)
        drawing = Drawing(room, settings, embeddings, None, display, subject, editor, moved=moved)
        try:
            return replace(drawing, model=store().model(room, embeddings, settings))
        except NoModelError as none:
            return replace(drawing, reason=str(none))

    def _provenance(self, drawing: Drawing) -> None:
        """Where the points come from, and in what roles, in one line."""
        embeddings, model, images = drawing.embeddings, drawing.model, drawing.chosen.images
        with st.container(horizontal=True, vertical_alignment="center"):
            if images is not None:
                for point in self.pictured(model):
                    st.image(images[point], width=48)
            size, dim = embeddings.z.shape
            of_size = self.size.format(size=size, dim=dim)
            st.caption(f"{embeddings.provenance.rstrip('.')}. {of_size} {self.caption(model, drawing.display)}")
            if self.shortcut:
                preset, icon = self.shortcut(model)
                st.button(
                    preset.label, key=f"{self.room.key}.shortcut", type="tertiary", icon=icon,
                    on_click=_take, args=(self.room, preset.settings), disabled=chosen(preset),
                )  # fmt: skip

    def _sentences(self) -> Mapping[Preset, Callable[[Any], str]]:
        return {preset: preset.says for preset in self.room.presets if preset.says}


def _take(room: Room[Any, Any], settings: Mapping[str, Any]) -> None:
    """Set controls, those beside the figures among them."""
    st.session_state.update(settings)
    st.session_state[f"{room.key}.clicked"] = True
