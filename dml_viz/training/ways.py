"""The scores of a trained run by each of its method's other ways to search: by codes, by a slice, by a level."""

import torch

from dml_viz.data.eval_points import evaluation_subset
from dml_viz.embedding.metrics import map_and_r1_across
from dml_viz.training.device import repeatable
from dml_viz.training.frame import evaluation_embedding
from dml_viz.training.learners import learner_of
from dml_viz.training.run import Run
from dml_viz.training.state import State


def scores_by_way(run: Run, state: State) -> dict[str, dict[str, float]]:
    """mAP and R@1 of unseen points, as "map" and "r1", by the name of each way to search; empty for a method without one."""
    of_method = {name: torch.from_numpy(learned.value) for name, learned in state.learnt.method.items()}
    with repeatable():
        subset = evaluation_subset(run.dataset, run.protocol)
        unseen = subset.members("unseen")
        z = evaluation_embedding(learner_of(run, state))[unseen]
        scores = {}
        for name, (queries, searched) in run.method.search_rows(z, of_method).items():
            scores[name] = dict(zip(("map", "r1"), map_and_r1_across(queries, searched, subset.y[unseen]), strict=True))
    return scores
