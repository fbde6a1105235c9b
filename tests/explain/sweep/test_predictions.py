"""The predictions of the Sweep page, on recorded sweeps, with every truth computed."""

import pytest

from dml_viz.explain.sweep import ROOM
from dml_viz.explain.sweep.predictions import PREDICTIONS
from dml_viz.room.prediction import Round
from dml_viz.serve.figure_store import prediction_models


@pytest.mark.parametrize("place", range(len(PREDICTIONS)))
def test_the_truth_is_that_of_a_recorded_sweep(place: int) -> None:
    prediction = PREDICTIONS[place]
    before, after = prediction_models(ROOM, prediction)
    assert after.finished_runs == len(after.sweep.runs), "all of its runs are recorded"
    revealed = prediction.reveal(Round(prediction.ask(before)).lock(0), before, after).revealed
    means = after.scores_now.mean(1)
    moved = means.max() - means.min()
    assert revealed is not None
    assert f"moves mAP by {moved:.2g}" in revealed.says or f"moves mAP by {moved:.3f}" in revealed.says
