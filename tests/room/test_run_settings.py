"""A step of a run as the pages of losses show it."""

import numpy as np
import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.room.run_form import EvaluatedPoints
from dml_viz.training.loop import Run, begin, observe, subset_of
from dml_viz.training.nets.mlp import MLP


@pytest.mark.parametrize("dim", [2, 8])
@pytest.mark.parametrize("group", EvaluatedPoints.GROUPS)
def test_the_loss_pages_draw_a_step_where_train_live_draws_it(dim: int, group: str) -> None:
    run = Run(Digits(), net=MLP(width=16), dim=dim, steps=1, device="cpu")
    frame, subset = observe(run, begin(run)), subset_of(run)
    embeddings = EvaluatedPoints(run, subset, group).embeddings(frame)
    assert (embeddings.plane is None) == (dim == 2)
    drawn = embeddings.z.numpy() @ (np.eye(2) if embeddings.plane is None else embeddings.plane)
    np.testing.assert_allclose(drawn, frame.arrays["view"][subset.members(group.split()[0])], atol=1e-6)
