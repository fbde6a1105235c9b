"""The predictions that the page of pairs asks for."""

from dml_viz.analysis import response_to
from dml_viz.app.predictions import Mark, Prediction
from dml_viz.app.predictions.carried import SCENE, carries
from dml_viz.explain.pairs.model import Losses

KEY = "pairs"
TRIPLET = {f"{KEY}.loss": "triplet", "loss.triplet.mining": "all"}
APART = "separated"


def _touched(model: Losses) -> tuple[int, int]:
    """The number of pairs with a weight, and of all pairs."""
    return response_to(model.embeddings, model.settings.losses[0]).active_pairs


def _says(before: Losses, after: Losses) -> str:
    (now, pairs), (was, of) = _touched(after), _touched(before)
    return f"{now} of {pairs} pairs have a weight; before, {was} of {of}."


PREDICTIONS: tuple[Prediction[Losses], ...] = (
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
