"""The article of the page FastAP: its sections, in their order."""

from dml_viz.app.article import Expander, Formula, PitfallTable, Row, Section
from dml_viz.app.explainer import Explainer
from dml_viz.explain.fastap import ROOM
from dml_viz.explain.fastap import text as say
from dml_viz.room.words import Formulas

PAGE = Explainer(
    ROOM,
    "A ranking has no gradient. FastAP estimates average precision from **histograms of distances**, which have one.",
    (
        Row(
            Section.of(say.FIRST, "arrows", again=True),
            Section(
                say.pipeline_title, "pipeline",
                look_for=say.pipeline_look_for,
                misleads=say.pipeline_misleads,
            ),
            widths=(2, 3),
        ),
        *map(Formula, say.FIRST.formulas),
        Row(
            Section(
                "Exact AP takes a step at every point, FastAP at every bin", "precision_recall",
                look_for=say.precision_lost,
                misleads="the binned curve can lie above the exact one, because a negative is counted partly in its second bin. "
                "What happens after the last positive has no area.",
            ),
            Section(
                say.bins_title, "against_bins",
                look_for=say.bins_look_for,
                misleads="it is one query's curve, and its teeth depend on where centres fall among points. Soft bins do not end "
                "at exact AP, since a positive is split over two bins. Hard bins do, but have no gradient.",
            ),
        ),
        Section(
            lambda model: "Turn the query: exact AP jumps, and "
            + ("so does FastAP with hard bins" if model.settings.binning.hard else "FastAP slopes between the jumps"), "stairs",
            look_for="its marks as you drag the query round. Between two jumps exact AP is flat and has no gradient. With more "
            "soft bins FastAP comes closer to exact AP, and is flatter between the jumps.",
            misleads=say.moving_query_misleads,
        ),
        Row(
            Section(
                "Over the batch, FastAP separates two histograms", "batch",
                look_for="how far the two colours overlap: that is what the loss still has to separate.",
                misleads=say.batch_misleads,
            ),
            Section(
                "The loss is 1 less the mean of FastAP over queries, not of exact AP", "queries",
                look_for="the worst queries at the left; click one to see it above.",
                misleads="it is sorted by FastAP, so exact AP seems the noisier of the two.",
            ),
        ),
        Expander("From average precision to histograms, in formulas", (
            Formula(Formulas(
                lambda model, _: say.derivation(model),
                "AP sums over ranks; in the limit of many points it is an integral. Bayes' rule gives precision by the "
                "densities of distances, F(z) being the share of points within z. FastAP takes a sum over bins for the integral.",
            ), "derivation"),
        )),
        Expander("What AP and FastAP depend on: stretch, skew, size and codes", (
            Row(
                Section(
                    "Stretched distances keep their order, and so AP; FastAP changes", "stretched",
                    look_for="the flat line. Bins are fixed, so distances that shrink fall into the same bins.",
                    misleads="no rotation or net stretches distances like this; it only shows what each score depends on.",
                ),
                Section(
                    "More negatives can lower AP and FastAP; they leave ROC as it is", "skewed",
                    look_for="how steep AP is. A score in a small gallery says little of a large one.",
                    misleads="copies of the same negatives are added. Other negatives would also move the ROC curve.",
                ),
            ),
            Row(
                Section(
                    "With more points AP tends to the integral of precision over recall", "limit",
                    look_for="how wide the grey band is at small galleries, and how far their mean is from the integral.",
                    misleads="galleries are drawn from all pairs of the batch, with densities constant in each bin. Eight in ten "
                    "draws are in the band.",
                ),
                Section(
                    "R@K falls or stays as the gallery grows", "recalls",
                    look_for="how far R@1 falls. Papers with galleries of tens of thousands report R@10 and R@100, too.",
                    misleads="negatives are left out at random and positives stay. A larger data set also has other positives.",
                ),
            ),
            Row(
                Section(
                    "Signs as binary codes tie many distances", "codes",
                    look_for="the number of bars: d coordinates have d + 1 Hamming distances. Notes say that FastAP differs from "
                    "DOAP (He et al. 2018) in that it needs no codes: the key compares both here, in mAP.",
                    misleads="nothing was trained for codes here, as DOAP and losses for hashing do.",
                ),
            ),
        )),
        PitfallTable(("fastap",), say.pitfall_sentences),
    ),
    pictured=lambda model: [model.settings.query],
)  # fmt: skip
