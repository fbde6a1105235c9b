"""The pairs that the scene editor draws at every frame, against Python."""

import numpy as np
import pytest
import torch

from dml_viz.analysis import fresh_learnt, response_to
from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.explain.pairs.model import PAIRWISE
from dml_viz.losses import Pairs
from dml_viz.losses.triplet import Triplet
from dml_viz.params import knobs
from tests.embedding.test_scene import at_random
from tests.javascript import Evaluate

NODES = 50  # of similarity, in 1
EVERY = [at_random(dim, seed, proxies=False) for seed in range(5) for dim in (2, 3)] + [
    preset(name, dim) for name in SCENES for dim in (2, 3)
]


def ordinary(scene: Scene) -> bool:
    """Whether no pair is at a kink: in one place, where its weight moves neither, or at a node of the histogram loss."""
    z = scene.subject().z
    nodes = (z @ z.T).fill_diagonal_(0.5 / NODES) * NODES
    return bool(((nodes - nodes.round()).abs() > 1e-6).all())


BODY = """
  const { touched } = await asset("scene/overlays/pairs.js");
  const { gradient } = await asset("losses/losses.js");
  return given.scenes.map(({ dim, z, y }) => {
    const scene = { dim, n: y.length, z: Float64Array.from(z), y: Int32Array.from(y), learnt: given.learnt };
    const { weights } = gradient(given.loss, scene, given.knobs);
    return weights && touched(weights, scene.n);
  });
"""


@pytest.mark.parametrize("name", PAIRWISE)
def test_active_pairs_and_their_weights_are_those_of_python(evaluate: Evaluate, name: str) -> None:
    loss, subjects = PAIRWISE[name](), [scene.subject() for scene in EVERY if ordinary(scene)]
    scenes = [{"dim": s.z.shape[1], "z": s.z.flatten().tolist(), "y": s.y.tolist()} for s in subjects]
    learnt = {key: tensor.flatten().tolist() for key, tensor in fresh_learnt(loss, 1, 2).items()}
    given = {"loss": name, "knobs": knobs(loss), "scenes": scenes, "learnt": learnt}
    for subject, pairs in zip(subjects, evaluate(BODY, given), strict=True):
        found = response_to(subject, loss)
        drawn = {(pair["i"], pair["j"]): pair["weight"] for pair in pairs}
        # A rounding error of a gradient of 0 is no edge.
        if found.largest_weight < 1e-9:
            assert max(map(abs, drawn.values()), default=0) < 1e-9
            continue
        n = len(subject.y)
        table = np.zeros((n, n))
        for (i, j), weight in drawn.items():
            table[i, j] = table[j, i] = weight
        np.testing.assert_allclose(table, found.pair_weight_matrix, atol=2e-3 * found.largest_weight)
        assert set(drawn) == {tuple(pair) for pair in found.pair_indices[found.is_active].tolist()}


@pytest.mark.parametrize("squared", [True, False])
def test_a_negative_beyond_the_end_of_the_hinge_has_no_loss(evaluate: Evaluate, squared: bool) -> None:
    loss, pull = Triplet(mining="all", squared=squared, margin=0.3), 0.5
    body = 'return (await asset("scene/overlays/pairs.js")).ends(given.pull, given.knobs);'
    end = evaluate(body, {"pull": pull, "knobs": knobs(loss)})
    for distance, costs in ((end - 1e-6, True), (end + 1e-6, False)):
        angles = 2 * np.arcsin(np.array([0, pull, -distance]) / 2)  # of anchor, positive and negative
        pairs = Pairs(torch.from_numpy(np.stack((np.cos(angles), np.sin(angles)), 1)), torch.tensor([0, 0, 1]))
        table = loss.value_and_weights(pairs)[1]
        assert bool(table[0].any()) == costs
