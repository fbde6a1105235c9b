"""The predictions that the Ranked List page asks for."""

from dml_viz.app.predictions import Mark, Prediction
from dml_viz.explain.ranked_list.controls import KEY
from dml_viz.explain.ranked_list.model import Model

SMALLER, SHARPER = 0.8, 40.0  # alpha and temperature of the revealed state


def _mined(before: Model, after: Model) -> str:
    one, loss = after.one, after.settings.loss
    return (
        f"{one.mined.sum()} of {len(one.d)}: {one.too_far.sum()} positives beyond {loss.alpha - loss.margin:.2g} and "
        f"{one.too_near.sum()} negatives within {loss.alpha:g}. Before, it was {before.one.mined.sum()}."
    )


def _share(model: Model) -> float:
    return 100 * float(model.one.share.max())


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        f"{KEY}.mined",
        "Smaller circles: who still reacts?",
        lambda model: (
            f"Now {model.one.mined.sum()} of {len(model.one.d)} points react to the query: positives outside the inner "
            rf"circle, negatives inside the outer one. Both circles shrink: $\alpha$ goes from {model.settings.loss.alpha:g} to "
            f"{SMALLER:g}. How many react then?"
        ),
        lambda model: Mark("Points that react", 0, len(model.one.d), 1),
        lambda before, after: int(after.one.mined.sum()),
        _mined,
        {f"{KEY}.scene": "overlapping"},
        {f"{KEY}.alpha": SMALLER},
    ),
    Prediction(
        f"{KEY}.share",
        "Higher temperature: who is pushed?",
        lambda model: (
            f"The nearest negative gets {_share(model):.0f} % of the query's push. The temperature goes from "
            f"{model.settings.loss.temperature:g} to {SHARPER:g}. What is its share then?"
        ),
        Mark("Share of the push, in percent", 0, 100, 10),
        lambda before, after: _share(after),
        lambda before, after: (
            f"Its share goes from {_share(before):.0f} % to {_share(after):.0f} %, among "
            f"{after.one.too_near.sum()} negatives inside the outer circle."
        ),
        {f"{KEY}.scene": "overlapping"},
        {f"{KEY}.temperature": SHARPER},
    ),
)
