"""The numbers of one triplet in a loss of pairs, as LaTeX."""

from dml_viz.analysis.around_triplet import Model
from dml_viz.analysis.triplets import compared_distances
from dml_viz.embedding.roles import UNSET
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params
from dml_viz.plot.numbers import tex


def in_numbers(model: Model) -> tuple[str, str]:
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
        triplet += [rf"w_{{ap}}={tex(float(model.weights[a, p]))}", rf"w_{{an}}={tex(model.w_n)}"]
    knobs = [rf"{knob.symbol}={getattr(loss, knob.name):g}" for knob in params(loss) if knob.symbol and knob.kind in (int, float)]
    return r",\quad ".join(triplet), r",\quad ".join([rf"L={tex(model.response.value)}", *knobs])
