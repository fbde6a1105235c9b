"""The sentences of the page of one's own loss: what a formula may contain, and the pages that can use it."""

import numpy as np

from dml_viz.explain.your_formula.controls import LOSS
from dml_viz.explain.your_formula.model import Model
from dml_viz.params import knobs
from dml_viz.plot.canvas import number
from dml_viz.room.words import FirstFigure, Formulas

HOLDS = r"""
| write | for |
|---|---|
| `s_p`, `s_n` | similarity of the anchor and a positive, or a negative |
| `d_p`, `d_n` | their distance, √(2 − 2s) |
| `s`, `d`, `y` | the same of any pair; `y` is 1 for a positive pair, else 0 |
| `m`, `gamma` | two numbers; each has a slider where the formula names it |
| `+ - * / ^`, `( )`, `[ ]_+` | as on paper: `2 s_p` is a product, `[x]_+` is x where x > 0, else 0 |
| `exp`, `log`, `sqrt`, `abs`, `softplus` | functions; softplus(x) is log(1 + eˣ) |
| `max(a, b)`, `min(a, b)`, `step` | the larger, the smaller; step(x) is 1 where x > 0, else 0 |
| `const` | its argument, held constant in the gradient |
| `sum_p`, `mean_p`, `max_p`, `min_p`, `lse_p` | over the positives of an anchor; lse(x) is the log of the sum of eˣ |
| `sum_n`, `mean_n`, `max_n`, `min_n`, `lse_n` | over its negatives |
| `sum_a`, `mean_a`, `max_a`, `min_a`, `lse_a` | over all its pairs |

Over what is left open the loss takes the mean: over triplets of `[s_n - s_p + m]_+`, over anchors where nothing is open.
"""


def claim(model: Model) -> str:
    """The claim on the loss whose gradient is most like the formula's."""
    name, cosine = next(iter(model.cosines_with_losses.items()))
    if not np.isfinite(cosine):
        return "The formula has no gradient at these points, so it is like no published loss here"
    return f"Of the published losses, {name} has the most similar gradient here: cosine {number(cosine, '.3f')}"


def page_links(model: Model) -> list[tuple[str, str, dict[str, str]]]:
    """Links to pages that can use the formula: label, page and settings."""
    values = {f"{LOSS}.{name}": str(value) for name, value in knobs(model.formula).items()}
    racer = "".join(f".{name}:{value}" for name, value in knobs(model.formula).items())
    return [
        ("Train a net with it", "train", {"loss": "formula", **values}),
        ("Race it against others", "race", {"racers": f"formula{racer}~circle~triplet~multi_similarity"}),
        ("Gradients beside the others, and their flows", "gradients", {"gradients.losses": f"{COMPARED}.formula", **values}),
    ]


COMPARED = "triplet.multi_similarity.circle"
FIRST = FirstFigure(
    "The pairs that the formula pulls and pushes",
    "a dashed edge: a positive pair that is pushed, or a negative pair that is pulled.",
    "the widest edge and the longest arrow always have one size. Read their numbers.",
    (Formulas(lambda model, _: [model.formula.variant_formula], lambda model: model.formula.variant_text),),
    lambda model, display: f"The anchor is {display.who[model.settings.anchor]}.",
    "{size} points in {dim} dimensions.",
)
