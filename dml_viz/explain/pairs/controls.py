"""The controls of the page of pairs: one loss or two with their knobs, and which pairs are drawn."""

from dml_viz.embedding.roles import UNSET
from dml_viz.explain.pairs.model import AXES, COSINES, PAIRWISE, PageSettings
from dml_viz.params import Param, params
from dml_viz.plot.style import CROWD
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "pairs"
NONE = "none"
TITLES = {NONE: "nothing", **{name: kind.title for name, kind in PAIRWISE.items()}}
NAMES = tuple(sorted(PAIRWISE, key=TITLES.__getitem__))
AXIS = Param("axes", COSINES, "", "the axes of planes side by side", choices=AXES)
EDGES = {"batch": "of the batch", "anchor": "of the anchor"}


def ask_for_settings(ask: Ask, subject: Subject) -> PageSettings:
    """Draw the controls of the page and return its settings; a scene has the triplet itself."""
    first = ask.choice(f"{KEY}.loss", "Loss", NAMES, "triplet", named=TITLES, menu=True)
    others = (NONE, *(name for name in NAMES if name != first))
    second = ask.choice(f"{KEY}.second", "Beside it", others, NONE, named=TITLES, menu=True)
    losses = []
    for name in (first,) if second == NONE else (first, second):
        if second != NONE and params(PAIRWISE[name]):
            ask.heading(f"**{TITLES[name]}**")
        losses.append(ask.knobs(PAIRWISE[name], f"loss.{name}"))
    whose = "anchor" if subject.size > CROWD else "batch"
    ask.follow_default(f"{KEY}.edges", whose)
    edges = ask.choice(f"{KEY}.edges", "Edges", tuple(EDGES), whose, named=EDGES)
    anchor = ask.point(f"{KEY}.row", "Anchor", subject.size, "A click on a point makes it the anchor.")
    axes = ask.setting(f"{KEY}.axes", AXIS)
    return PageSettings(tuple(losses), edges, (anchor, UNSET, UNSET), subject.of_run, axes)
