"""The rail of the Angular page: every knob of both losses, in sight wherever one has scrolled to."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dml_viz.app import provenance_log, url_state
from dml_viz.app.controls import control, controls, values
from dml_viz.explain.angular.breaks import KEY
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.params import Domain, Param

STYLE = """<style>
.st-key-angular-numbers .katex-display, .st-key-angular-formula .katex-display { margin: 0.2rem 0; overflow: auto hidden; }
.st-key-angular-facts [data-testid="stMarkdownContainer"] { overflow-x: auto; }
</style>"""
ARROWS = {"chords": "chords", "tangent": "on the sphere"}
ORDERS = {"one": "(a, p, n)", "both": "both orders"}
SCALE = Param(
    "scale", 2.0, "", "how many times as large the triangle is drawn", domain=Domain(0.25, 4, False, False),
    slider=(0.25, 4.0), step=0.05,
)  # fmt: skip
TURN = Param(
    "turn", 30.0, "", "how far the triangle is turned in its plane", unit="degrees", domain=Domain(-180, 180, False, False),
    slider=(-180.0, 180.0), step=5.0,
)  # fmt: skip


@dataclass(frozen=True)
class Spelt:
    """What the rail spells: both losses, the triplet's in one or both orders, which arrows, and a scale and a turn in degrees."""

    angular: Angular
    triplet: Triplet
    both: bool
    arrows: str
    scale: float
    turn: float


def style() -> None:
    """What the page looks like beyond the frame's own style."""
    st.html(STYLE)


def rail() -> Spelt:
    """Draw the controls; what they spell."""
    angular = controls(Angular, KEY)
    st.markdown("**Triplet loss**, to compare")
    triplet = Triplet(mining="all", **values(Triplet, KEY, ("margin", "squared")))
    provenance_log.spelt(Triplet, KEY, {"mining": triplet.mining})
    orders = url_state.choice(
        f"{KEY}.orders", "Triplets", tuple(ORDERS), "one", named=ORDERS,
        note="(a, p, n) asks of x_a alone. In a batch (p, a, n) is a triplet too; both orders are the mean of the two.",
    )  # fmt: skip
    arrows = url_state.choice(
        f"{KEY}.arrows", "Arrows", tuple(ARROWS), "chords", named=ARROWS,
        note="Chords: the gradient as written in squared distances, sums of differences of the three points. On the "
        "sphere: the part that a net which normalises receives.",
    )  # fmt: skip
    st.markdown("**Off the sphere**")
    return Spelt(
        angular, triplet, orders == "both", arrows, control(SCALE, f"{KEY}.scale"), control(TURN, f"{KEY}.turn")
    )
