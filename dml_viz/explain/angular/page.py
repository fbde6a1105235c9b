"""The article of the page Angular: its sections, in their order."""

import math

from dml_viz.app.article import Expander, Formula, PitfallTable, Row, Section
from dml_viz.app.explainer import Explainer
from dml_viz.explain.angular import ROOM
from dml_viz.explain.angular import text as say

RANDOM_ANGLE = math.degrees(math.atan(3**-0.5))  # of three unit vectors at right angles

PAGE = Explainer(
    ROOM,
    "A triplet compares two distances. The angular loss bounds an **angle** at the negative: how wide the positive pair "
    "looks from there. It pushes the negative away from the middle of the pair.",
    (
        Row(
            Section.of(say.FIRST, "points"),
            Section(
                "The angular loss bounds n′, the angle at the negative, by α", "triangle",
                look_for=say.look_for_angle_and_bound,
                misleads="$x_n$ is always drawn above, and every triangle fills the drawing, so two sizes do not compare. "
                "Angles and lengths within it are exact in any number of dimensions.",
            ),
        ),
        Expander("The formula with these numbers", (
            *(Formula(each, "numbers") for each in say.FIRST.formulas),
        )),
        Expander("Both losses wherever the negative is", (
            Section(
                say.claim_on_directions, "angular", "triplet",
                look_for="the thin line through $x_n$, along which the push goes. Shaded is the loss with $x_n$ moved there; the "
                "dotted circle is where a hinge ends.",
                misleads="most of the plane is off the sphere, where $x_n$ cannot go. The shading says nothing of $x_a$ and "
                "$x_p$. One factor scales the arrows of both losses.",
            ),
            Section(
                say.largest_round_the_sphere, "circle",
                look_for="on which side of $x_n$ each curve falls: the push goes that way. A hinge can be 0 on part of the "
                "circle, the logistic form nowhere.",
                misleads="it is the one circle through the three points. Above two dimensions $x_n$ can leave it.",
            ),
        )),
        Expander("One pair and all its negatives, and classes of unequal spread", (
            Row(
                Section(
                    "In a batch all negatives of a pair share its push", "fan",
                    look_for="the widths: a softmax over negatives gives most to the one at the largest angle. Choose N-pair "
                    "for one negative of each class, and the hinge for a yes or no.",
                    misleads="widths are shares of this drawing's widest; read the numbers. The pair's own pull is not drawn.",
                ),
                Section(
                    "The angular bound grows with the pair; the triplet's margin is the same for all", "spreads",
                    look_for="a tight and a wide class: scene “unequal spreads”. The angular bound starts at 0, so tight pairs "
                    "need little room. The margin wants √m of them all the same, or m where distances are not squared.",
                    misleads="the triplet's line is for a negative as far from both ends; of another one, the nearer end counts.",
                ),
            ),
        )),
        Expander("The triangle at other sizes", (
            Section(
                "The bound is the same at every size, the triplet's margin is not", "scaled", "against_scale",
                look_for="n′, which stays while scale and turn change. The dashed curve crosses 0 where $x_n$ is farther than "
                "$x_p$: a fixed margin is much for small triangles and little for large ones.",
                misleads="only the bound is free of scale: the angular value grows with the square of it. Rows of length 1 have "
                "no other scale, so on the sphere neither loss has this problem.",
            ),
        )),
        Expander("All triangles of the batch", (
            Row(
                Section(
                    "Only triangles above α give the hinge a gradient", "angles",
                    look_for="how much of the histogram is right of the line.",
                    misleads="a triangle counts the same however far it is above the bound; in the loss it does not.",
                ),
                Section(
                    f"In many dimensions n′ is about {RANDOM_ANGLE:.0f}°, and a bound of 45° pushes nothing", "dimensions",
                    look_for="d = 32 at 45°: there random directions are nearly at right angles, and the hinge hardly trains.",
                    misleads="random points have no classes to separate; only the first line is of your points.",
                ),
            ),
        )),
        Expander("Hinge, logistic form and the dropped constant", (
            Section(
                "The logistic form still pushes where the hinge is 0; the dropped constant says how far", "forms",
                look_for=say.look_for_bends,
                misleads="a curve is for one negative. In a batch all negatives of a pair share one push, so a slope is "
                "the most that one of them can get.",
            ),
        )),
        PitfallTable(("angular",), say.pitfall_sentences),
    ),
    shortcut=say.worst_triangle_preset,
    pictured=lambda model: model.settings.roles,
)  # fmt: skip
