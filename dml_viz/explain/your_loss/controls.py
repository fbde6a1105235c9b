"""What the page of one's own loss asks for: the formula, what its letters are, and of a run the anchor."""

from dml_viz.analysis.around_triplet import Settings
from dml_viz.app.room import Ask, Shown
from dml_viz.losses.formula import Formula

KEY, LOSS = "your_loss", "loss.formula"


def settings(ask: Ask, shown: Shown) -> Settings:
    """Ask for the settings of the page; the triplet of a scene is in the scene."""
    with ask.bar():
        text = ask.values(Formula, LOSS, ["text"])
    letters = ask.values(Formula, LOSS, ["m", "gamma"])
    anchor = 0
    if shown.of_run:
        note = "A click on a point makes it the anchor."
        anchor = ask.number(f"{KEY}.row", "Anchor", 0, shown.size - 1, 0, note=note)
    return Settings(Formula(**text, **letters), anchor)
