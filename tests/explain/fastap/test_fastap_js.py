"""The arrows of a dragged point on the FastAP page, against Python."""

import numpy as np

from dml_viz.explain.fastap.model import Model, Settings
from dml_viz.explain.fastap.model_bins import Binning
from tests.embedding.test_scene import at_random
from tests.javascript import Evaluate

BODY = """
  const { ownGradient, queries } = await asset("scene/own_term.js");
  const { gradient } = await asset("losses/losses.js");
  return given.map(({ dim, z, y, query, bins }) => {
    const scene = { dim, n: y.length, z: Float64Array.from(z), y: Int32Array.from(y) };
    const { weights } = gradient("fastap", { ...scene, learnt: {} }, { bins });
    return [...ownGradient(scene, query, weights, { terms: queries(scene) })];
  });
"""


def test_the_query_s_own_arrows_are_those_of_python(evaluate: Evaluate) -> None:
    scenes = [at_random(dim, seed, proxies=False) for seed in range(9) for dim in (2, 3)]
    given, expected = [], []
    for place, scene in enumerate(scenes):
        embeddings, bins, query = scene.subject(), (4, 10, 25)[place % 3], place % len(scene.points)
        z, y = embeddings.z.flatten().tolist(), embeddings.y.tolist()
        given.append({"dim": scene.dim, "z": z, "y": y, "query": query, "bins": bins})
        expected.append(Model(embeddings, Settings(query, Binning(bins))).arrows_of_query)
    for drawn, arrows in zip(evaluate(BODY, given), expected, strict=True):
        np.testing.assert_allclose(np.reshape(drawn, arrows.shape), -arrows, atol=1e-9)
