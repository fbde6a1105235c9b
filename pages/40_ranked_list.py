"""Ranked List

Two circles around every query, a shell between them, and the negatives within weighted by how near they are.
"""

from dml_viz.app.explainer import Claims, Explainer, Formula, Row, Section
from dml_viz.explain.ranked_list import ROOM
from dml_viz.explain.ranked_list import text as say
from dml_viz.explain.ranked_list.pitfalls import here
from dml_viz.losses.ranked_list import RankedList

Explainer(
    ROOM,
    "Every query draws two circles. Positives beyond the inner one are **pulled** in, negatives within the outer one are "
    "**pushed** out, the nearest most; all others are left in peace.",
    (
        Row(
            Section(
                "Two circles around the query decide who teaches it", "map", scene=True,
                look_for="the ringed points: positives that have left the inner circle, and negatives that have entered the "
                "outer one. Only they have a gradient; in the shaded shell both kinds do, a positive inwards, a negative "
                "outwards.",
                misleads=say.circles_mislead,
            ),
            Section(
                "T decides how the push is shared out", "strip",
                look_for="how steep the grey curve is: that is T. At T = 0 it is flat and all mined negatives share alike.",
                misleads="the shares add up to 1 for one negative at the brink of α as for ten deep within it; the cost tells "
                "these apart, the slopes do not.",
            ),
        ),
        Formula(lambda model: [RankedList.formula, say.in_numbers(model)], key="formulas"),
        Row(
            Section(
                "A bigger T picks the hardest negative", "temperature",
                look_for="how soon the thick line, the nearest negative, parts from the others: it takes a factor of e for every "
                "1/T by which it is nearer.",
                misleads="a share is not a force: at λ = 0, or for points at one place, the largest share moves nobody.",
            ),
            Section(
                "A class that costs nothing is at most α − m across", "balls",
                look_for="the ringed points outside their class's ball, whose diameter, not radius, is α − m.",
                misleads="a ball is put in the direction of its class's mean, where another place might hold more points; a "
                "class can cost nothing without fitting one, as three points of a sphere, each α − m from the others, do not. "
                "Off the circle, a point inside a disc may lie before or behind its ball.",
            ),
        ),
        Section(
            "What is held constant changes the gradient, not the value", "arrows-0", "arrows-1", "arrows-2",
            headings=say.variants,
            look_for="the other ends: the authors' gradient of one query moves that query alone; the others wait until they "
            "are queries themselves. Differentiated weights can even draw a mined negative nearer.",
            misleads=say.variants_mislead,
        ),
        Section(
            "The loss is the mean over all queries, those that mine nobody included", "queries",
            look_for="the dearest queries at the left; click one to see its circles.",
            misleads="bars of satisfied queries have no height and are easily overlooked, yet they divide the sum.",
        ),
        Claims(("ranked_list",), here),
    ),
    caption=say.roles,
    pictured=lambda model: [model.settings.query],
).run()  # fmt: skip
