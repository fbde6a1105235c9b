"""The sentences of the page of pairs on its first figure, and the numbers of one triplet as LaTeX."""

from dml_viz.analysis.around_triplet import ROLES, Model
from dml_viz.analysis.triplets import compared_distances
from dml_viz.embedding.roles import UNSET
from dml_viz.explain.pairs.model import Losses, PageSettings
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params
from dml_viz.plot.canvas import Display, tex
from dml_viz.room.words import FirstFigure, Formulas


def formulas_in_numbers(model: Model) -> tuple[str, str]:
    """The triplet with its weights in the batch, its hinge if the loss has one, and the value with the knobs."""
    loss, a, p, n = model.settings.loss, model.settings.anchor, model.settings.positive, model.settings.negative
    triplet = []
    if UNSET not in (p, n):
        triplet += [rf"s_{{ap}}={model.s_p:.3f}", rf"s_{{an}}={model.s_n:.3f}"]
        if isinstance(loss, Triplet):
            d = compared_distances(loss, model.embeddings)
            skipped = rf"\ \text{{(left out by {loss.mining} mining)}}" if model.left_out_by_mining else ""
            terms = f"{d[a, p]:.3f}-{d[a, n]:.3f}+{loss.margin:g}"
            triplet.append(rf"[{terms}]_+={max(d[a, p] - d[a, n] + loss.margin, 0):.3f}{skipped}")
        triplet += [rf"w_{{ap}}={tex(float(model.weights[a, p]))}", rf"w_{{an}}={tex(model.weight_of_negative)}"]
    knobs = [rf"{knob.symbol}={getattr(loss, knob.name):g}" for knob in params(loss) if knob.symbol and knob.kind in (int, float)]
    return r",\quad ".join(triplet), r",\quad ".join([rf"L={tex(model.response.value)}", *knobs])


def roles_in_words(losses: Losses, display: Display) -> str:
    """The role of each point in words."""
    pairs = zip(ROLES, losses.triplet, strict=True)
    return ", ".join(f"the {role} is {display.who[point]}" for role, point in pairs if point >= 0) + "."


def claim_on_edges(settings: PageSettings) -> str:
    """The claim above the edges of the first loss, which are drawn between the points."""
    return f"{type(settings.losses[0]).title}: pairs with a gradient"


def _formulas(k: int) -> Formulas:
    """The formula of a loss of the page and its numbers; nothing where the page has no such loss."""

    def lines(losses: Losses, _: Display) -> list[str]:
        of = losses.models[k : k + 1]
        return [line for model in of for line in (model.settings.loss.variant_formula, *formulas_in_numbers(model)) if line]

    return Formulas(lines, lambda losses: " ".join(model.settings.loss.variant_text for model in losses.models[k : k + 1]))


FIRST = FirstFigure(
    claim_on_edges,
    "pairs without an edge, which have no gradient. A dashed edge pushes a positive pair apart, or pulls a negative "
    "pair together.",
    "the widest edge and the longest arrow always have one size, so a finished batch looks like a new one. Read their numbers. "
    "Weights below a thousandth of the largest have no edge.",
    (_formulas(0), _formulas(1)),
    roles_in_words,
)
