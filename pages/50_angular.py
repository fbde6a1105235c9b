"""Angular

A bound on the angle at the negative: the triangle, its circle, and where two losses push the same three points.
"""

import math

from dml_viz.app.explainer import Claims, Explainer, Formula, Row, Section
from dml_viz.explain.angular import ROOM
from dml_viz.explain.angular import text as say
from dml_viz.explain.angular.numbers import gathered, in_numbers
from dml_viz.explain.angular.pitfalls import here
from dml_viz.losses.angular import Angular

RANDOM_ANGLE = math.degrees(math.atan(3**-0.5))  # of three unit vectors at right angles

Explainer(
    ROOM,
    "A triplet compares two distances. The angular loss bounds an **angle**, that at which the negative sees the "
    "positive pair, and so it pushes the negative away from the pair's middle.",
    (
        Row(
            Section(
                "The same three points, moved by two losses", "points", scene=True,
                look_for=say.at_the_negative, misleads=say.points_mislead,
            ),
            Section(
                "From the negative, half of the pair is to look no wider than α", "triangle",
                look_for=say.angle_and_bound, misleads=say.triangle_misleads,
            ),
        ),
        Formula(lambda model: [in_numbers(model)], key="numbers", remark=say.single_triangle),
        Section(say.heading, "angular", "triplet", look_for=say.lines, misleads=say.pushes_mislead),
        Section(
            "Round the sphere, the two losses forgive in different places", "circle",
            look_for="where each curve is 0, and on which side of $x_n$ it falls: that way the push goes.",
            misleads=say.circle_misleads,
        ),
        Section(
            "The bound is the same at every size, the triplet's margin is not", "scaled", "against_scale",
            look_for="n′, which stays while the scale and the turn in the rail change, and the dashed curve, which "
            "crosses 0 where $x_n$ is farther than $x_p$: a fixed margin is much for small triangles and little for "
            "large ones. Turning changes neither loss.",
            misleads="only the constraint is free of scale: the angular value grows with its square. Rows of length 1 have no "
            "other scale to go to, so on the sphere both losses are safe from it.",
        ),
        Row(
            Section(
                "Only triangles above α teach the hinge anything", "angles",
                look_for="how much of the histogram lies right of the line.",
                misleads="a triangle counts alike whether it breaks the bound by a hair or by far; in the loss it does not.",
            ),
            Section(
                f"In many dimensions n′ gathers at {RANDOM_ANGLE:.0f}°, and a bound of 45° finds nothing to push", "dimensions",
                look_for="d = 32 at 45°: there, random directions are nearly at right angles, and the hinge hardly trains.",
                misleads="random points have no classes to part; only the first line is yours.",
            ),
        ),
        Section(
            "The logistic form still pushes where the hinge has let go; the dropped constant says how far", "forms",
            look_for=say.bends,
            misleads="a curve is for one negative. In a batch all negatives of a pair share one push, so a slope is "
            "the most that one of them can get.",
        ),
        Formula(lambda _: [gathered(*Angular.formula.split(r"\qquad "))]),
        Claims(("angular",), here),
    ),
    caption=say.roles,
    shortcut=say.worst_triangle,
    pictured=lambda model: model.settings.roles,
).run()  # fmt: skip
