"""The predictions that the page of pairs asks for."""

from dml_viz.analysis import response_to
from dml_viz.analysis.around_triplet import ROLES
from dml_viz.explain.pairs.model import Losses
from dml_viz.losses.triplet import Triplet
from dml_viz.room.carried import SCENE, carries
from dml_viz.room.prediction import Choices, Mark, Prediction

KEY = "pairs"
TRIPLET = {f"{KEY}.loss": "triplet", "loss.triplet.mining": "all"}
APART = "separated"
# One triplet on the circle, its negative near the anchor and far from it.
NEAR, FAR = "a90_100b75", "a90_100b20"
PICKED = {f"{KEY}.{role}": point for point, role in enumerate(ROLES)}
EQUAL = 1e-9


def _touched(model: Losses) -> tuple[int, int]:
    """The number of pairs with a weight, and of all pairs."""
    return response_to(model.embeddings, model.settings.losses[0]).active_pairs


def _says(before: Losses, after: Losses) -> str:
    (now, pairs), (was, of) = _touched(after), _touched(before)
    return f"{now} of {pairs} pairs have a weight; before, {was} of {of}."


def _push(model: Losses) -> float:
    """The weight of the anchor and the negative, which pushes where it is above 0."""
    return float(model.first.weight_of_negative) + 0.0


def _margin(model: Losses) -> float:
    loss = model.settings.losses[0]
    assert isinstance(loss, Triplet)
    return loss.margin


def _how_hard(before: Losses, after: Losses) -> int:
    now, was = _push(after), _push(before)
    return 2 if now == 0 else 0 if now > was + EQUAL else 1


PREDICTIONS: tuple[Prediction[Losses], ...] = (
    Prediction(
        f"{KEY}.triplet",
        "A negative far away: how hard is it pushed?",
        lambda model: (
            f"A triplet: point {model.triplet[0]} is the anchor, {model.triplet[1]} is of its class (the positive), "
            f"{model.triplet[2]} of another (the negative). The loss pulls the positive and pushes the negative. Now the "
            "negative is dragged away. How hard does the loss push it then?"
        ),
        Choices(("harder", "as hard as before", "not at all")),
        _how_hard,
        lambda before, after: (
            f"Its weight goes from {_push(before):.2g} to {_push(after):.2g}: the negative is farther than the positive by more "
            f"than the margin, {_margin(after):g}. The triplet is done and teaches nothing more."
        ),
        {f"{KEY}.scene": "one triplet", f"{KEY}.at": NEAR, **TRIPLET, **PICKED},
        {f"{KEY}.at": FAR},
    ),
    Prediction(
        f"{KEY}.mining",
        "Batch-hard mining: how many pairs are left?",
        lambda model: (
            f"With all triplets, {_touched(model)[0]} of {_touched(model)[1]} pairs have a weight. Now each anchor "
            "takes its farthest positive and its nearest negative alone (batch-hard). How many pairs still have one?"
        ),
        lambda model: Mark("Pairs with a weight", 0, _touched(model)[1], 4),
        lambda before, after: _touched(after)[0],
        _says,
        {f"{KEY}.scene": "overlapping", **TRIPLET},
        {"loss.triplet.mining": "batch-hard"},
    ),
    Prediction(
        f"{KEY}.apart",
        "Classes far apart: which pairs are left?",
        lambda model: (
            f"The contrastive loss touches {_touched(model)[0]} of {_touched(model)[1]} pairs. Three tight classes, far "
            "apart, take the place of this scene. How many pairs has it left to touch?"
        ),
        lambda model: Mark("Pairs with a weight", 0, 66, 4),
        lambda before, after: _touched(after)[0],
        _says,
        {f"{KEY}.scene": SCENE, f"{KEY}.loss": "contrastive"},
        {f"{KEY}.scene": APART},
    ),
    carries(KEY, lambda model: model.settings.losses[0], (KEY, f"{KEY}-edges"), {f"{KEY}.loss": "contrastive"}),
)
