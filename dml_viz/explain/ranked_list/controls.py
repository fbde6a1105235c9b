"""The controls of the Ranked List page: every knob with its published values, and what is drawn."""

from typing import Any

from dml_viz.explain.ranked_list.model import Settings
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import Param, params
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "ranked_list"
ARROWS = {"query": "of this query", "loss": "of the whole loss"}
CUTS = "where the ball of diameter α − m around each class cuts the circle or sphere"
BALLS = Param("balls", False, "", CUTS, label="class balls")


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings; a scene has the query itself."""
    knobs: dict[str, Any] = {}
    for knob in params(RankedList):
        knobs |= ask.values(RankedList, KEY, (knob.name,))
        if marks := published_ticks(knob):
            ask.remark(marks)
    data = next(filter(None, (knob.published[0] for knob in params(RankedList))))
    ask.remark(f"Numbers under a slider are published results: R@1 on {data} in percent that the authors report at that value.")
    note = "The point in the middle; a click on any other takes its place."
    query = ask.point(f"{KEY}.query", "Query", subject.size, note)
    balls = False if subject.of_run else ask.control(BALLS, f"{KEY}.balls")
    arrows = ask.choice(f"{KEY}.arrows", "Arrows", tuple(ARROWS), "query", named=ARROWS)
    return Settings(RankedList(**knobs), query, arrows, balls, subject.of_run)


def published_ticks(knob: Param) -> str:
    """The ticks under a knob's slider as HTML, the best one in bold; empty for a knob without ticks."""
    data, table = knob.published
    if not table or not knob.slider:
        return ""
    low, high = knob.slider
    best = max(table, key=lambda value: table[value])
    marks = "".join(
        f'<span style="left:{(value - low) / (high - low):.2%}"{" class=best" if value == best else ""}>'
        + (f"<b>{recall:g}</b>" if value == best else f"{recall:g}")
        + "</span>"
        for value, recall in table.items()
        if low <= value <= high
    )
    values = ", ".join(f"{recall:g} at {value:g}" for value, recall in table.items())
    label = f"Published R@1 on {data}, by the authors: {values}"
    return f'<div class="dml-ticks" role="img" aria-label="{label}">{marks}</div>'
