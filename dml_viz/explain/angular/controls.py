"""The controls of the Angular page: the knobs of both losses, and how the triangle is drawn."""

from dml_viz.explain.angular.model import FIRST, Settings
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.params import Domain, Param
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "angular"
ROLES = ("anchor", "positive", "negative")
ARROWS = {"chords": "chords", "tangent": "on the sphere"}
ORDERS = {"one": "(a, p, n)", "both": "both orders"}
LARGER = "how many times as large the triangle is drawn"
SCALE = Param("scale", 2.0, "", LARGER, domain=Domain.parse("[0.25, 4]"), slider=(0.25, 4.0), step=0.05)
TURNED, AROUND = "how far the triangle is turned in its plane", Domain.parse("[-180, 180]")
TURN = Param("turn", 30.0, "", TURNED, unit="degrees", domain=AROUND, slider=(-180.0, 180.0), step=5.0)
OF_ARROWS = (
    "Chords: the gradient as written in squared distances, a sum of differences of the three points. On the sphere: its tangent "
    "component, which is all that a net with normalised outputs receives."
)
OF_ORDERS = "In a batch (p, a, n) is a triplet too. With both orders the triplet loss is the mean of the two."


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings. Those of a run include its three points; a scene has its own."""
    angular = ask.values(Angular, KEY, ("alpha", "form"))
    arrows = ask.choice(f"{KEY}.arrows", "Arrows", tuple(ARROWS), "chords", named=ARROWS, note=OF_ARROWS)
    ask.heading("**Triplet loss**, to compare")
    triplet = ask.values(Triplet, KEY, ("margin",))
    orders = ask.choice(f"{KEY}.orders", "Triplets", tuple(ORDERS), "one", named=ORDERS, note=OF_ORDERS)
    angular |= ask.values(Angular, KEY, ("constant_kept",))
    triplet |= ask.values(Triplet, KEY, ("squared",))
    ask.heading("**Off the sphere**")
    scale, turn = ask.control(SCALE, f"{KEY}.scale"), ask.control(TURN, f"{KEY}.turn")
    roles, click = FIRST, ""
    if subject.of_run:
        ask.heading("**The triangle**")
        note = "Or the next one that can be."
        a, p, n = (ask.point(f"{KEY}.{role}", role, subject.size, note) for role in ROLES)
        roles, click = (a, p, n), ask.choice(f"{KEY}.click", "A click chooses the", ROLES, "negative", menu=True)
    losses = Angular(**angular), Triplet(mining="all", **triplet)
    return Settings(*losses, orders == "both", roles, arrows, scale, turn, not subject.of_run, click)
