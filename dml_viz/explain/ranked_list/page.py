"""The article of the page Ranked List: its sections, in their order."""

from dml_viz.app import glossary
from dml_viz.app.article import Expander, Formula, PitfallTable, Row, Section
from dml_viz.app.explainer import Explainer
from dml_viz.explain.ranked_list import ROOM
from dml_viz.explain.ranked_list import text as say

PAGE = Explainer(
    ROOM,
    "Every query draws two circles. Positives beyond the inner one are **pulled** in; negatives within the outer one are "
    "**pushed** out, the nearest most. All other points are left out.",
    (
        Row(
            Section.of(say.FIRST, "map"),
            Section(
                "T decides how the push is divided", "strip",
                look_for="how steep the grey curve is: that is T. At T = 0 it is flat, and all mined negatives share equally.",
                misleads="the shares add up to 1 for one negative just inside α as for ten deep inside it. The cost differs "
                "between these, the slopes do not.",
            ),
        ),
        *(Formula(each, "formulas") for each in say.FIRST.formulas),
        Row(
            Section(
                "A bigger T picks the hardest negative", "temperature",
                look_for="how soon the thick line, the nearest negative, leaves the others: it has e times the share of a "
                "negative that is 1/T farther.",
                misleads="a share is not a force: at λ = 0, or for points at one place, the largest share moves nothing.",
            ),
            Section(
                "A class that costs nothing is at most α − m across", "balls",
                look_for="the ringed points outside their class's ball, whose diameter, not radius, is α − m.",
                misleads="a ball is in the direction of its class's mean, where another place might hold more points. A class "
                "can cost nothing without fitting one: three points of a sphere, each α − m from the others, do not.",
            ),
        ),
        Section(
            "What is held constant changes the gradient, not the value", "arrows-0", "arrows-1", "arrows-2",
            headings=say.gradient_names,
            look_for="the other ends. The authors' gradient of one query moves that query alone; the others move when they "
            "are queries themselves. Differentiated weights can even pull a mined negative nearer.",
            misleads="the three share one scale, on which the longest arrow always has the same length. Only the tangent "
            "component is drawn. Arrows of one query are N times its share of the loss.",
        ),
        Section(
            "The loss is the mean over all queries, including those that mine no pair", "queries",
            look_for="the queries with the highest cost, at the left; click one to see its circles.",
            misleads="bars of satisfied queries have no height and are easily overlooked, yet they divide the sum.",
        ),
        Expander("The algorithm in five steps, with this query's numbers", (
            lambda drawing: glossary.say(say.algorithm_steps(drawing.model)),
        )),
        PitfallTable(("ranked_list",), say.pitfall_sentences),
    ),
    pictured=lambda model: [model.settings.query],
)  # fmt: skip
