"""Angular

A bound on the angle at the negative: the triangle, its circle, and where two losses push the same three points.
"""

import math
from collections.abc import Callable

import streamlit as st

from dml_viz.app import replay_progress, url_state
from dml_viz.app.columns import beside
from dml_viz.app.drawn_plane import held_plane
from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.figure import figure
from dml_viz.app.page import page, section
from dml_viz.app.presets import break_it, head, say
from dml_viz.app.scene_editor import Hand, hand
from dml_viz.app.subject_picker import choose_subject
from dml_viz.app.theme import theme
from dml_viz.explain.angular.breaks import ALONE, BREAKS, FIRST, KEY, LESSON, LONELY, SCENE
from dml_viz.explain.angular.facts import facts
from dml_viz.explain.angular.model import Roles, settled, worst
from dml_viz.explain.angular.model import Settings as ModelSettings
from dml_viz.explain.angular.model import model as model_of
from dml_viz.explain.angular.numbers import gathered
from dml_viz.explain.angular.rail import rail, style
from dml_viz.explain.angular.view import Settings, view
from dml_viz.explain.angular.ways import angle_and_bound, at_the_negative, heading, lines
from dml_viz.losses.angular import Angular
from dml_viz.params import knobs
from dml_viz.pitfalls import ERRATA

ROLES = ("anchor", "positive", "negative")
RANDOM_ANGLE = math.degrees(math.atan(3**-0.5))  # of three unit vectors at right angles
MISLEADS = {
    2: "on the circle a point can only go one way or the other, so two pushes that part by a right angle look alike or opposite.",
    3: "lengths are as seen from one side, and a triangle that leans away looks flat; the drawing beside is to scale.",
}
FLATTENED = (
    "it is one plane of many dimensions, so neither lengths nor angles are true; the drawing beside is to scale."
)
EXACT = " Its plane is that of the three points themselves: angles and lengths are exact, however many dimensions there are."
NOBODY = (
    "Every point is a class of its own: there is no positive pair, so no triangle, no triplet and no gradient. The mean "
    "over none is defined as 0."
)


def show(fig: Encoded, name: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draw a figure of this page."""
    figure(fig, key=f"{KEY}-{name}", alt=fig.alt, theme=theme(), height=fig.height, on_click=on_click)


def held() -> Hand:
    """The scene in the hand, with the triangle, its circle and the arrows of both losses."""
    settings = {"angular": knobs(spelt.angular), "triplet": knobs(spelt.triplet), "both": spelt.both}
    return hand(key=KEY, overlay=KEY, default=SCENE, settings=settings, choose=ROLES, picked=FIRST)


def take(roles: Roles) -> None:
    """Give the three parts to three points."""
    st.session_state.update({f"{KEY}.{role}": point for role, point in zip(ROLES, roles, strict=True)})


def pick(point: int) -> None:
    """Give a point of a run the part that a click gives."""
    st.session_state[f"{KEY}.{st.session_state[f'{KEY}.click']}"] = point


with page(
    "Angular",
    "A triplet compares two distances. The angular loss bounds an **angle**, that at which the negative sees the "
    "positive pair, and so it pushes the negative away from the pair's middle.",
):
    style()
    with head():
        chosen = choose_subject(hand=held)
        break_it((*(preset for preset in BREAKS if preset is not LESSON), LONELY), see=LESSON)
    controls, shown = beside()
    with controls:
        spelt = rail()
        if chosen.hand is None:
            st.markdown("**The triangle**")
            last = len(chosen.subject().y) - 1
            asked = tuple(
                url_state.number(f"{KEY}.{role}", role, 0, last, 0, note="Or the next one that can be.")
                for role in ROLES
            )
            url_state.choice(f"{KEY}.click", "A click chooses the", ROLES, "negative", menu=True)
    moving = chosen.moving()

    @st.fragment(run_every=replay_progress.REFRESH if moving else None)
    def pictures() -> None:
        """All figures, of the subject as it is now."""
        # A click chose another point, or the run has come to a stop.
        clicked = chosen.hand is None and asked != tuple(st.session_state[f"{KEY}.{role}"] for role in ROLES)
        if clicked or (moving and not chosen.moving()):
            st.rerun()
        said = st.container()
        left, right = st.columns(2, gap="medium")
        with left, section("The same three points, moved by two losses"):
            in_hand = held() if chosen.hand else None
            subject = in_hand.subject if in_hand else chosen.subject()
            names = in_hand.names if in_hand else chosen.names
            anchor, positive, negative = in_hand.picked if in_hand else asked
            roles = settled(subject.y.numpy(), (anchor, positive, negative))
        (size, dim), labels = subject.z.shape, subject.y.tolist()
        if roles is None or (in_hand and roles != in_hand.picked):
            said.info(NOBODY if len(set(labels)) == size else ALONE)
            with right, st.container(key="angular-facts"):
                st.subheader("What circulates about the angular loss, measured", anchor=False)
                st.markdown(facts(None))
            return
        model = model_of(subject, ModelSettings(spelt.angular, spelt.triplet, spelt.both, roles))
        who = [f"#{k} ({names[label]})" for k, label in enumerate(labels)]
        seen = view(
            model,
            Settings(who, spelt.arrows, spelt.scale, spelt.turn, theme(), in_hand is None, held_plane(KEY, model.z)),
        )
        figures = seen.figures
        with left if in_hand else said, st.container(horizontal=True, vertical_alignment="center"):
            if chosen.images is not None:
                for k in roles:
                    st.image(chosen.images[k], width=48)
            st.caption(
                f"{subject.provenance.rstrip('.')}. {size} points in {dim} dimensions; anchor {who[roles[0]]}, positive "
                f"{who[roles[1]]}, negative {who[roles[2]]}."
            )
            hardest = worst(subject, roles[0], spelt.angular.alpha)
            st.button(
                "The anchor's worst triangle", key="angular.worst", type="tertiary", icon=":material/target:",
                on_click=take, args=(hardest,), disabled=hardest == roles,
            )  # fmt: skip
        with said:
            say(KEY, BREAKS, model)
        with left:
            if in_hand is None:
                show(figures["points"], "points", on_click=pick)
            st.markdown(f"**Look for** {at_the_negative(model)}")
            st.caption(f"**How this picture misleads** {MISLEADS.get(dim, FLATTENED)}")
        with right, section(
            "From the negative, half of the pair is to look no wider than α",
            look_for=angle_and_bound(model, spelt.arrows),
            misleads="it is turned so that $x_n$ is above, and every triangle fills the drawing, so the sizes of two do "
            "not compare; the longer arrow always has the same length."
            + (EXACT if dim > 3 else ""),
        ):  # fmt: skip
            show(figures["triangle"], "triangle")
        st.container(key="angular-numbers").latex(seen.in_numbers)
        if spelt.angular.form == "N-pair":
            st.caption("A single triangle has one negative, for which the N-pair form is the logistic one.")

        with section(
            heading(model),
            look_for=lines(model),
            misleads="most of the plane is off the sphere, where $x_n$ cannot go, and the shading says nothing of $x_a$ "
            "and $x_p$. One factor scales the arrows of both losses."
            + ("" if model.for_one.form == "hinge" else " Off the sphere the logistic form is taken as written in distances.")
            + (" Switch the arrows to what is left of them along the sphere." if spelt.arrows == "chords" else ""),
        ):  # fmt: skip
            for column, name in zip(st.columns(2, gap="medium"), ("angular", "triplet"), strict=True):
                with column:
                    show(figures[name], name)
        with section(
            "Round the sphere, the two losses forgive in different places",
            look_for="where each curve is 0, and on which side of $x_n$ it falls: that way the push goes.",
            misleads="it is one circle, that through the three points: "
            + ("on it are all places there are." if dim == 2 else f"$x_n$ has {dim - 1} dimensions to move in."),
        ):  # fmt: skip
            show(figures["circle"], "circle")
        with section(
            "The bound is the same at every size, the triplet's margin is not",
            look_for="n′, which stays while the scale and the turn in the rail change, and the dashed curve, which "
            "crosses 0 where $x_n$ is farther than $x_p$: a fixed margin is much for small triangles and little for "
            "large ones. Turning changes neither loss.",
            misleads="only the constraint is free of scale: the angular value grows with its square. Rows of length 1 have no "
            "other scale to go to, so on the sphere both losses are safe from it.",
        ):  # fmt: skip
            for column, name in zip(st.columns(2, gap="medium"), ("scaled", "against_scale"), strict=True):
                with column:
                    show(figures[name], name)

        left, right = st.columns(2, gap="medium")
        with left, section(
            "Only triangles above α teach the hinge anything",
            look_for="how much of the histogram lies right of the line.",
            misleads="a triangle counts alike whether it breaks the bound by a hair or by far; in the loss it does not.",
        ):  # fmt: skip
            show(figures["angles"], "angles")
        with right, section(
            f"In many dimensions n′ gathers at {RANDOM_ANGLE:.0f}°, and a bound of 45° finds nothing to push",
            look_for="d = 32 at 45°: there, random directions are nearly at right angles, and the hinge hardly trains.",
            misleads="random points have no classes to part; only the first line is yours.",
        ):  # fmt: skip
            show(figures["dimensions"], "dimensions")
        with section(
            "The logistic form still pushes where the hinge has let go; the dropped constant says how far",
            look_for="where the triangles are, in row 3, and what slope each form has there, in row 2. Dropping 2 − 6 tan²α = "
            f"{2 - 6 * model.t:.2f} moves the bend of the curve by as much.".replace("-", "−"),
            misleads="a curve is for one negative. In a batch all negatives of a pair share one push, so a slope is "
            "the most that one of them can get.",
        ):  # fmt: skip
            show(figures["forms"], "forms")
        st.container(key="angular-formula").latex(gathered(*Angular.formula.split(r"\qquad ")))
        misled = dict.fromkeys(kind.misled for kind in ERRATA.values() if KEY in kind.losses and kind.misled)
        with section("What circulates about the angular loss, measured", misleads=" ".join(misled)):
            st.container(key="angular-facts").markdown(seen.facts)

    with shown:
        pictures()
