"""The blocks of which a page's article is made; each draws itself, given a `Drawing`."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, TypeAlias

import streamlit as st

from dml_viz import pitfalls
from dml_viz.app import figure, glossary, provenance_log, tab, url_state
from dml_viz.app.component_loader import withheld
from dml_viz.app.page import section_notes
from dml_viz.app.presentation import MAIN, ONLY, PRESENT
from dml_viz.app.scene_editor import EditedScene
from dml_viz.app.subject_picker import Chosen
from dml_viz.losses import LOSSES
from dml_viz.plot.canvas import Display
from dml_viz.room.markdown import cited, with_breaks
from dml_viz.room.room import Room, figure_name
from dml_viz.room.words import FirstFigure, Formulas, Text, text_of, with_true_minus_signs
from dml_viz.serve.figure_store import Offer, store


@dataclass(frozen=True)
class Drawing:
    """What the blocks of an article draw: the figures that a batch offers, and its model, or None where there is none."""

    offer: Offer
    model: Any
    chosen: Chosen
    editor: EditedScene | None = None

    @property
    def display(self) -> Display:
        """How figures are shown."""
        return self.offer.display

    def under(self, settings: Any) -> "Drawing":
        """The same batch under other settings, which no slider moves."""
        offer = store().offer(self.offer.room, self.offer.embeddings, settings, self.display, tab=self.chosen.file_tab)
        return replace(self, offer=offer, model=offer.model)

    def text(self, text: Text) -> str:
        """``text``, asked of the model where it is a function."""
        return text_of(text, self.model)

    def figures(self, names: Sequence[str], widths: Sequence[int] = (), headings: Sequence[str] = ()) -> None:
        """Draw figures of the room side by side, each below its heading."""
        room = self.offer.room

        def click(point: int) -> None:
            assert room.click is not None
            settings = room.click(self.model, point)
            # A scene reads who plays which role where it is drawn, with the figures.
            apply_settings(room, settings) if self.editor is None else st.session_state.update(settings)

        # A section may have no figure of its own, as that of the panels of a run.
        places: list[Any] = [nullcontext() for _ in names]
        if len(names) > 1:
            places = st.columns(widths or len(names), gap="medium")
        for name, column, heading in zip_longest(names, places, headings):
            with column:
                if heading:
                    glossary.say(heading)
                clickable = room.click is not None and name in room.clickable
                figure.figure(
                    self.offer.address(name),
                    key=figure_name(room, name),
                    theme=self.display.theme,
                    link=room.key,
                    on_click=click if clickable else None,
                )


Block: TypeAlias = Callable[[Drawing], None]


class Section:
    """A claim, its figures side by side, what to look for, and how the picture misleads.

    ``figures`` are names of the room's, ``widths`` their shares of the width, ``headings`` Markdown above each. Where ``scene``
    is true the scene that is dragged stands in their place, and of a run the figures; ``again`` has the figures behind a click,
    too. ``below`` draws what else belongs to it. ``stacked`` figures are one below the other.
    """

    def __init__(
        self,
        claim: Text,
        *figures: str,
        look_for: Text = "",
        misleads: Text = "",
        widths: tuple[int, ...] = (),
        headings: Callable[[Any], Sequence[str]] | None = None,
        scene: bool = False,
        again: bool = False,
        below: Callable[[Drawing], None] | None = None,
        stacked: bool = False,
    ) -> None:
        self.claim, self.figures, self.look_for, self.misleads = claim, figures, look_for, misleads
        self.widths, self.headings, self.scene, self.again, self.below = widths, headings, scene, again, below
        self.stacked = stacked

    @classmethod
    def of(cls, words: FirstFigure, *figures: str, **more: Any) -> "Section":
        """The section of the scene that is dragged, with its ``words``."""
        return cls(words.claim, *figures, scene=True, look_for=words.look_for, misleads=words.misleads, **more)

    def __call__(self, drawing: Drawing, *, claimed: bool = False) -> None:
        """Draw the section; where it is ``claimed``, its claim is drawn already, as a scene that is dragged always is.

        Where all its figures are withheld, so are the words about them, but for a claim that no model is asked for.
        """
        room, dragged = drawing.offer.room, bool(self.scene and drawing.editor)
        names = [room.key] if dragged else [figure_name(room, name) for name in self.figures]
        hidden = bool(names) and all(map(withheld, names))
        if not claimed and not (hidden and callable(self.claim)):
            claim = drawing.text(self.claim)
            provenance_log.note_claim(claim)
            glossary.say(claim, "subheader", anchor=False)
        headings = self.headings(drawing.model) if self.headings and not hidden else ()
        if not dragged:
            for row in [(name,) for name in self.figures] if self.stacked else [self.figures]:
                drawing.figures(row, self.widths, headings)
        elif self.again:
            label = "The same points with every number, on hover"
            lazy_expander(label, drawing, lambda: drawing.figures(self.figures, self.widths, headings))
        if self.below:
            self.below(drawing)
        if not hidden:
            section_notes(drawing.text(self.look_for), drawing.text(self.misleads))


class Row:
    """Blocks side by side; ``widths`` are their shares of the width."""

    def __init__(self, *sections: Block, widths: tuple[int, ...] = ()) -> None:
        self.sections, self.widths = sections, widths or (1,) * len(sections)

    def __call__(self, drawing: Drawing) -> None:
        for section, column in zip(self.sections, st.columns(self.widths, gap="medium"), strict=True):
            with column:
                section(drawing)


@dataclass(frozen=True)
class Formula:
    """Formulas in LaTeX, each in a line of its own, and a remark below."""

    formulas: Formulas
    key: str = "formula"

    def __call__(self, drawing: Drawing) -> None:
        with st.container(key=f"{drawing.offer.room.figure_prefix}-{self.key}"):
            for line in self.formulas.lines(drawing.model, drawing.display):
                st.latex(with_breaks(line))
            if remark := drawing.text(self.formulas.remark):
                glossary.say(remark, "caption")


@dataclass(frozen=True)
class PitfallTable:
    """The pitfalls of ``losses``, file names, in a table behind one click; ``on_these_points`` makes sentences by pitfall."""

    losses: tuple[str, ...]
    on_these_points: Callable[[Any], Mapping[str, str]] | None = None

    def __call__(self, drawing: Drawing) -> None:
        lazy_expander("Common claims, checked", drawing, lambda: self._draw(drawing))

    def _draw(self, drawing: Drawing) -> None:
        sentences = self.on_these_points(drawing.model) if self.on_these_points and drawing.model else {}
        sentences = {name: with_true_minus_signs(sentence) for name, sentence in sentences.items()}
        with st.container(key=f"{drawing.offer.room.figure_prefix}-facts"):
            glossary.say(pitfalls.table(self.losses, sentences))
            named = [text for name in self.losses if name in LOSSES for text in LOSSES[name].reference.split("; ")]
            glossary.say("\n".join(["**The papers**", *(f"- {cited(text)}" for text in named)]), "caption")
        section_notes("", pitfalls.how_table_misleads(self.losses))


@dataclass(frozen=True)
class Expander:
    """Blocks behind one click, in an expander."""

    label: str
    blocks: tuple[Block, ...]

    def __call__(self, drawing: Drawing) -> None:
        lazy_expander(self.label, drawing, lambda: [block(drawing) for block in self.blocks])


def lazy_expander(label: str, drawing: Drawing, draw: Callable[[], object]) -> None:
    """Draw an expander; ``draw`` draws its content, as a rule only while it is open, so that reruns stay cheap.

    The content of a closed expander is drawn, too, where a visitor arrives by a link, where the link sets a control of it, and
    where one figure is presented or in a frame.
    """
    key = f"{drawing.offer.room.key}.behind.{re.sub('[^a-z]+', '-', label.lower())}"
    expander = st.expander(label, key=key, on_change="rerun")
    visit = tab.VISIT.get()
    # The controls and figures in there, as drawn last, which a lesson may hide and Share may name.
    inside = tab.EXPANDED.of(key).setdefault({})
    alone = any(tab.control(name, "").get() not in ("", MAIN) for name in (ONLY, PRESENT))
    if expander.open or visit.arrived or alone or inside.keys() & url_state.address_settings().keys():
        before = set(visit.offered)
        if not inside.keys() & before:  # not a fragment, which runs again what has been offered
            inside.clear()
        with expander:
            draw()
        inside |= {name: (visit.offered[name], visit.named[name]) for name in visit.offered.keys() - before}
    for name, (words, named) in inside.items():
        visit.offered[name], visit.named[name] = words, named


def apply_settings(room: Room[Any, Any], settings: Mapping[str, Any]) -> None:
    """Set controls, those beside the figures among them."""
    st.session_state.update(settings)
    tab.CLICKED.of(room.key).set(True)
