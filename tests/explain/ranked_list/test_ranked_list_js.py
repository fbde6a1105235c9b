"""The Ranked List page's overlay of the scene editor, against Python."""

from typing import Any

import numpy as np
import pytest

from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.explain.ranked_list.model import VARIANTS, Model, Settings
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import knobs
from tests.embedding.test_scene import at_random
from tests.javascript import Evaluate

LOSSES = [
    RankedList(),
    RankedList(alpha=0.8, margin=1.2, lam=4.0, differentiated=VARIANTS[1]),
    RankedList(alpha=1.6, margin=0.0, temperature=40.0, lam=0.5, differentiated=VARIANTS[2]),
]
ALL = [at_random(dim, seed, proxies=False) for seed in range(12) for dim in (2, 3)] + [
    preset(name, dim) for name in SCENES for dim in (2, 3)
]
BODY = """
  const { mined, caps } = await asset("scene/overlays/ranked_list.js");
  const { ownGradient } = await asset("scene/own_term.js");
  const { gradient } = await asset("losses/losses.js");
  return given.map(({ dim, z, y, query, knobs }) => {
    const scene = { dim, n: y.length, z: Float64Array.from(z), y: Int32Array.from(y) };
    const { weights } = gradient("ranked_list", { ...scene, learnt: {} }, knobs);
    const own = ownGradient(scene, query, weights, { bothEnds: knobs.differentiated !== "query only" });
    return { ...mined(scene, query, knobs), caps: caps(scene, knobs), own: [...own] };
  });
"""


def given(scene: Scene, loss: RankedList, query: int) -> dict[str, Any]:
    subject = scene.subject()
    return {"dim": scene.dim, "z": subject.z.flatten().tolist(), "y": subject.y.tolist(), "query": query, "knobs": knobs(loss)}


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.differentiated)
def test_mined_points_shares_balls_and_arrows_are_those_of_python(evaluate: Evaluate, loss: RankedList) -> None:
    queries = [len(scene.points) // 2 for scene in ALL]
    batches = [given(scene, loss, query) for scene, query in zip(ALL, queries, strict=True)]
    for scene, query, drawn in zip(ALL, queries, evaluate(BODY, batches), strict=True):
        model = Model(scene.subject(), Settings(loss, query))
        np.testing.assert_allclose(drawn["d"], model.d[query], atol=1e-12)
        assert drawn["far"] == model.too_far[query].tolist()
        assert drawn["near"] == model.too_near[query].tolist()
        np.testing.assert_allclose(drawn["shares"], model.shares[query], atol=1e-12)
        own = np.reshape(drawn["own"], model.z.shape)
        np.testing.assert_allclose(own, -model.arrows_of_query[loss.differentiated], atol=1e-9)
        outside = [int(model.balls.outside[model.y == label].sum()) for label in model.balls.classes]
        assert [cap["outside"] for cap in drawn["caps"]] == outside
        for cap, centre in zip(drawn["caps"], model.balls.centres, strict=True):
            if cap["centre"] is None:
                assert not centre.any()
            else:
                # The ball's centre and the middle of the cap that it cuts off are in one direction.
                np.testing.assert_allclose(centre, np.sqrt(1 - model.balls.radius**2) * np.array(cap["centre"]), atol=1e-9)
