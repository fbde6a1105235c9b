"""The article of the page Proxies: its sections, in their order."""

import numpy as np
import streamlit as st

from dml_viz.app import glossary
from dml_viz.app.article import Drawing, Expander, PitfallTable, Row, Section
from dml_viz.app.component_loader import draw_component
from dml_viz.app.explainer import Explainer
from dml_viz.engine.recordings import RACE
from dml_viz.explain.proxies import ROOM
from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_influence import recorded_structure
from dml_viz.explain.proxies.text import FIRST, SECOND
from dml_viz.plot.canvas import number
from dml_viz.room.markdown import with_breaks
from dml_viz.room.words import text_of

SOFTPLUS = (
    r"\log\Big(1+\sum_i e^{x_i}\Big)=\mathrm{softplus}\big(\mathrm{LSE}_i\,x_i\big),\quad"
    r"\text{circle: }\mathrm{softplus}\big(\mathrm{LSE}_n\,\gamma\alpha_n(s_n-m)+\mathrm{LSE}_p\,\gamma\alpha_p(1-m-s_p)\big)"
)
OF_RUN = Section(
    "Over a run the bound follows the triplets, with the proxies of each step",
    "bound-run",
    look_for="lines that come closer: samples near their proxies close the gap, whatever loss brings them there. "
    "[Train the discriminative loss](train?v=2&loss=discriminative), and the upper line is what it minimises.",
    misleads="it is of the points chosen above, equally many of each class, not of the batches. The proxies move from step to "
    "step, unless they are those of the discriminative loss.",
)


def draw_proxy_anchor_view(drawing: Drawing) -> None:
    """Draw Proxy-Anchor beside the scene; it shows the data of the scene editor's overlay."""
    if drawing.editor:
        view = drawing.offer.room.components["twin"](drawing.model, drawing.display)
        draw_component(view, f"{drawing.offer.room.key}.twin", drawing.display.theme)


def views_mislead(drawing: Drawing) -> None:
    """Say how the two views mislead."""
    glossary.say(f"**How these pictures mislead:** {text_of(FIRST.misleads, drawing.model)}", "caption")


def structure_caption(drawing: Drawing) -> None:
    """Say how far proxies hold the global structure: in a recorded run, and here."""
    trained, here = recorded_structure(), drawing.model.structure
    sentences = (
        "**Do proxies hold the global structure of the classes?** In the [recorded race](race) Proxy-NCA learns ten digits. "
        f"After {RACE.run.steps} steps, distances between its proxies rank as those between class means, with a Spearman "
        f"correlation of {number(trained.correlation, '.2f')} over {trained.pairs} pairs of classes.",
        f"Here it is {number(here.correlation, '.2f')} over {here.pairs}." if np.isfinite(here.correlation) else "",
        "**How this may mislead:** proxies placed at the class means have 1 by construction, and few pairs agree by luck. "
        "Proxies that have not come to their samples yet hold less. A run opened here is judged by its own proxies.",
    )
    glossary.say(" ".join(filter(None, sentences)), "caption")


def pull_of_nca(model: Model) -> str:
    """How Proxy-NCA's pull changes, by its denominator and its targets."""
    nca = model.settings.nca
    if model.proxy_class_count < 2:
        return "is none, with a single proxy"
    if model.settings.wrong_sign:
        return "is a push, by the sign error"
    if not nca.positive_in_denominator:
        return "does not"
    if nca.smoothing:
        return f"fades too, and is a push where its proxy's share exceeds {number(1 - nca.smoothing, '.0%')}"
    return "fades too, with the positive kept"


def formulas(drawing: Drawing) -> None:
    """Draw both formulas side by side, each with its numbers."""
    with st.container(key="proxies-formulas"):
        left, right = st.columns(2, gap="medium")
        for column, of_loss in zip((left, right), FIRST.formulas, strict=True):
            for line in of_loss.lines(drawing.model, drawing.display):
                column.latex(with_breaks(line))
            with column:
                glossary.say(text_of(of_loss.remark, drawing.model), "caption")
        st.latex(with_breaks(SOFTPLUS))
        glossary.say(
            "Proxy-Anchor and the circle loss have one form: a softplus of log-sum-exps. Proxy-Anchor takes one for each proxy "
            "and sign, the circle loss adds both signs first, and its weights α follow the similarities.",
            "caption",
        )


def tables_mislead(model: Model) -> str:
    """How the tables mislead, with their correlations."""
    nca, anchor = (number(model.weight_correlations[name], ".2f") for name in ("nca", "anchor"))
    return (
        "colours end at the largest weight that each loss can give, so equal colours are not equal weights. Correlation with "
        f"{model.settings.third_loss.name}'s table: Proxy-NCA {nca}, Proxy-Anchor {anchor}. Most of it is the signs, as every "
        "loss pulls own samples and pushes the rest."
    )


def bound_of_run(drawing: Drawing) -> None:
    """Draw, for a run, the bound and the triplets at its frames, with the proxies of each frame."""
    if len(drawing.model.settings.frames.steps) > 1:
        OF_RUN(drawing)


def influence_misleads(model: Model) -> str:
    """How the tables of influence mislead."""
    moved, every = len(model.moved_indices), len(model.y)
    few = f"{moved} of {every} samples, drawn at random, are the batch. " if moved < every else ""
    return (
        f"{few}the proxies stay fixed. In training they follow all samples, so a step later samples of Proxy-NCA influence each "
        "other, too. Each table has its own scale, and changes below 1% of its largest are not counted."
    )


PAGE = Explainer(
    ROOM,
    "Every class has a learnt **proxy**. Proxy-NCA weighs all proxies for each sample, Proxy-Anchor all "
    "samples for each proxy. What the denominator holds decides whether a pull fades.",
    (
        Row(
            Section(FIRST.claim, "nca", scene=True, look_for=FIRST.look_for),
            Section(SECOND[0], "anchor", scene=True, below=draw_proxy_anchor_view, look_for=SECOND[1]),
        ),
        views_mislead,
        structure_caption,
        Expander("The formulas with these numbers", (formulas,)),
        Expander("Pull and push against similarity", (
            Section(
                lambda model: f"Proxy-Anchor's pull fades as a sample nears its proxy; Proxy-NCA's {pull_of_nca(model)}",
                "pull", "push",
                look_for="the left figure. Proxy-Anchor's pull goes to the hardest sample, and fades beyond cosine δ, "
                "the sooner the larger α is.",
                misleads="each curve moves one pair and keeps all others, which no training step does. Heights are shares, so "
                "equal heights are not equal weights.",
            ),
            Section(
                "With many classes only a larger scale lets the pull fade", "floor",
                look_for="σ = 1: with 1,000 classes even a sample on its own proxy is pulled with nearly all there is. σ = 3 "
                "ends that.",
                misleads="the positive is kept in the denominator; left out, the pull never fades. Proxies all equally far apart "
                "need a dimension less than there are classes; with fewer the least loss is higher.",
            ),
        )),
        Expander("Follow the gradient", (
            Section(
                lambda model: "Along the gradient, Proxy-Anchor's pull fades only where samples reach their proxy; Proxy-NCA's "
                + pull_of_nca(model), "flow-nca", "flow-anchor", "flow", widths=(2, 2, 3),
                look_for="the blue lines on the right. Proxy-Anchor's pull rises where proxies of other classes push its samples "
                "away.",
                misleads="no net is between the loss and the samples, so each follows its gradient. Each loss has its own "
                "rate: its largest pull turns a sample by 0.05 radian in a step.",
            ),
        )),
        Expander("All weights as tables", (
            Section(
                "Where proxies compete for a sample, its weights sum to 0", "table-nca", "table-anchor", "table-cousin",
                look_for="the bars at the right, which are sums of rows. Proxy-Anchor's need not be 0, as samples compete for a "
                "proxy. Nor need ArcFace's, whose margin is added to an angle.",
                misleads=tables_mislead,
            ),
        )),
        Expander("Whose gradient changes when one sample moves", (
            Section(
                "Under Proxy-NCA no other sample's gradient changes; Proxy-Anchor and triplets can tie samples together",
                "moves-nca", "moves-anchor", "moves-triplet",
                look_for="cells off the diagonal. Proxy-Anchor's softmax over samples puts them there. With a large α only "
                "those of the hardest samples are left: try a small one, and a large δ.",
                misleads=influence_misleads,
            ),
        )),
        Expander("Fixed centroids: one bound on all triplets", (
            Section(
                "The discriminative loss bounds all triplets by distances to fixed centroids, and the gap closes at the corners",
                "bound",
                look_for="the shaded gap. It closes where every sample is on its own centroid, wherever the centroids are: the "
                "bound holds for any. Drag the proxies, which are the centroids here, and see.",
                misleads="the mean is of dₐₚ − dₐₙ without hinge or margin, so easy triplets count, too. Equally many samples "
                "of each class are taken, and no net is between the loss and the samples. Steps are equally long, so a gap of "
                "about one stays.",
            ),
            bound_of_run,
        )),
        Expander("A third loss: NormFace, AM-softmax, ArcFace or SoftTriple", (
            Section(
                "With the positive in the denominator a pull fades, and a margin lets it last longer", "cousin", "pull-cousin",
                widths=(2, 3), look_for="where the solid curve falls: the margin is how much longer the pull lasts.",
                misleads="at a scale of 30 few samples are partly pulled, and a small scene may have none. SoftTriple's "
                "regulariser, which pulls the centres of a class together, is left out.",
            ),
        )),
        PitfallTable(("proxy_nca", "proxy_anchor", "margin_softmax", "soft_triple")),
    ),
)  # fmt: skip
