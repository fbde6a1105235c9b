"""FastAP

From a ranking to a gradient: one query and the whole batch, on a scene or on the live run.
"""

from dml_viz.app.explainer import Claims, Explainer, Formula, Row, Section
from dml_viz.explain.fastap import ROOM
from dml_viz.explain.fastap import text as say
from dml_viz.explain.fastap.pitfalls import here
from dml_viz.losses.fastap import FastAP

Explainer(
    ROOM,
    "A ranking has no gradient. FastAP reads it off **histograms of distances**, which have one, and so raises a smooth "
    "stand-in for average precision.",
    (
        Row(
            Section(
                "Each arrow adds up what the point's bins ask of it", "arrows", scene=True, again=True,
                look_for="negatives without an arrow, though they stand between positives: their bin holds no positive.",
                misleads="the longest arrow always has the same length, so a finished run looks as busy as a new one: read its "
                "number. Only the tangent part is drawn; the net never receives the rest.",
            ),
            Section(
                "A ranking becomes histograms, and histograms have a gradient", "pipeline",
                look_for="bins where both colours meet; hover one, and every row answers for it. Only there does a negative have "
                "a slope in row 7, and once every negative is beyond the shaded two bins, all slopes are 0.",
                misleads=say.pipeline_misleads,
            ),
            widths=(2, 3),
        ),
        Formula(lambda model: [FastAP.formula, say.in_numbers(model)]),
        Row(
            Section(
                "Exact AP takes a step at every point, FastAP at every bin", "precision_recall",
                look_for="the grey between the steps: precision lost because a positive shares its bin with negatives.",
                misleads="the binned curve can lie above the exact one, as part of a negative arrives only in its second bin; "
                "and what happens after the last positive has no area.",
            ),
            Section(
                "Fewer bins ask for a wider margin; many end beside exact AP", "against_bins",
                look_for="where the curve touches 1, if it does: from that number of bins on, this query is done.",
                misleads=say.bins_mislead,
            ),
        ),
        Row(
            Section(
                "Over the batch, FastAP parts two histograms", "batch",
                look_for="how far the two colours overlap: that is what the loss has left to part.",
                misleads=say.batch_misleads,
            ),
            Section(
                "The loss is 1 less the mean over queries, which is not 1 − mAP", "queries",
                look_for="the worst queries at the left; click one to see it above.",
                misleads="it is sorted by FastAP, so exact AP seems the noisier of the two.",
            ),
        ),
        Claims(("fastap",), here),
    ),
    caption=say.roles,
    pictured=lambda model: [model.settings.query],
).run()  # fmt: skip
