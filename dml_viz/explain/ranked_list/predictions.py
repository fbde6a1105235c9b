"""The predictions that the Ranked List page asks for."""

from dml_viz.explain.ranked_list.controls import KEY
from dml_viz.explain.ranked_list.model import Model
from dml_viz.room.prediction import Mark, Prediction

LARGER, SHARPER = 1.6, 40.0  # alpha and temperature of the revealed state
BLUE, CROWDED = 1, 3  # queries: of the class in the colour of positives, and one among negatives


def _pushed(model: Model) -> int:
    return int(model.ranking.too_near.sum())


def _mined(before: Model, after: Model) -> str:
    was, now = before.ranking, after.ranking
    return (
        f"{_pushed(after)} of {int((~now.relevant).sum())} negatives are within {after.settings.loss.alpha:g}; before, it was "
        f"{_pushed(before)}. Of {int(now.relevant.sum())} positives it pulls "
        f"{int(now.too_far.sum())}; before, {int(was.too_far.sum())}."
    )


def _share(model: Model) -> float:
    return 100 * float(model.ranking.share.max())


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        f"{KEY}.mined",
        "Larger circles: who is pushed?",
        lambda model: (
            f"The query pushes the negatives inside the outer circle, {_pushed(model)} now, and pulls the positives outside the "
            rf"inner one. Both circles grow: $\alpha$ goes from {model.settings.loss.alpha:g} to {LARGER:g}. How many negatives "
            "does it push then?"
        ),
        lambda model: Mark("Negatives that are pushed", 0, int((~model.ranking.relevant).sum()), 1),
        lambda before, after: _pushed(after),
        _mined,
        {f"{KEY}.scene": "overlapping", f"{KEY}.query": BLUE},
        {f"{KEY}.alpha": LARGER},
    ),
    Prediction(
        f"{KEY}.share",
        "Higher temperature: who is pushed?",
        lambda model: (
            f"The nearest negative gets {_share(model):.0f}% of the query's push. The temperature goes from "
            f"{model.settings.loss.temperature:g} to {SHARPER:g}. What is its share then?"
        ),
        Mark("Share of the push, in percent", 0, 100, 10, unit="%"),
        lambda before, after: _share(after),
        lambda before, after: (
            f"Its share goes from {_share(before):.0f}% to {_share(after):.0f}%, among "
            f"{after.ranking.too_near.sum()} negatives inside the outer circle."
        ),
        {f"{KEY}.scene": "overlapping", f"{KEY}.query": CROWDED},
        {f"{KEY}.temperature": SHARPER},
    ),
)
