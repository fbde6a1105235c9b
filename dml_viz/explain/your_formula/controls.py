"""The controls of the page of one's own loss: the formula, the values of its letters, and for a run the anchor."""

from dml_viz.analysis.around_triplet import TripletChoice
from dml_viz.losses.formula import KNOBS, Formula
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY, LOSS = "your_loss", "loss.formula"


def ask_for_settings(ask: Ask, subject: Subject) -> TripletChoice:
    """Draw the controls of the page and return its settings; a scene has the triplet itself."""
    with ask.bar():
        text = ask.values(Formula, LOSS, ["text"])
    used = Formula(**text).tree.knobs
    letters = {name: ask.values(Formula, LOSS, [name], draw=name in used)[name] for name in KNOBS}
    anchor = ask.point(f"{KEY}.row", "Anchor", subject.size, "A click on a point makes it the anchor.")
    return TripletChoice(Formula(**text, **letters), anchor)
