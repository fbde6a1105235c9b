"""The browser's drawing of losses of proxies during a drag, against Python."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.proxies import drawn as settings_of
from dml_viz.explain.proxies.model import Model, Settings
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._training import directions, example
from tests.javascript import Evaluate

ASK = """
  const { gradient } = await asset("losses/losses.js");
  const { sides } = await asset("scene/overlays/proxies_side.js");
  const { edges, words } = await asset("scene/overlays/proxies_drawing.js");
  return given.map(({ scene, settings, picked }) => {
    const [z, proxies] = [scene.z, scene.proxies].map((rows) => Float64Array.from(rows));
    const typed = { ...scene, z, proxies, y: Int32Array.from(scene.y) };
    return Object.fromEntries(Object.entries(sides(typed, settings, gradient)).map(([name, side]) => [name, {
      ...side, weights: [...side.weights], z: [...side.z], proxies: [...side.proxies],
      edges: edges(typed, settings.edges, picked, side), words: words(name, typed, settings, picked, side),
    }]));
  });
"""
CASES = [
    (seed, dim, Settings(nca, anchor, wrong_sign=wrong_sign, truncated=truncated, sample=6, proxy=1))
    for seed, (nca, anchor) in enumerate(
        (
            (ProxyNCA(), ProxyAnchor()),
            (ProxyNCA(scale=8.0, smoothing=0.3), ProxyAnchor(alpha=64.0, delta=0.5)),
            (ProxyNCA(scale=2.5, positive_in_denominator=True), ProxyAnchor(alpha=1.0, delta=0.0)),
        )
    )
    for dim in (2, 3)
    for wrong_sign in (False, True)
    for truncated in (False, True)
]


def model(seed: int, dim: int, settings: Settings) -> Model:
    z, y = example(11, dim, 4, seed=seed)
    return Model(Embeddings(z, y, "", {"proxies": directions(5, dim, seed=seed)}), settings)


def given(seed: int, dim: int, settings: Settings) -> dict[str, Any]:
    python = model(seed, dim, settings)
    rows = {"z": python.z, "y": python.y, "proxies": python.proxies.numpy()}
    scene = {name: array.ravel().tolist() for name, array in rows.items()}
    return {"scene": {"n": len(python.y), "dim": dim, **scene}, "settings": settings_of(settings)[1], "picked": [6, 1]}


def test_values_weights_and_gradients_are_those_of_python(evaluate: Evaluate) -> None:
    found = evaluate(ASK, [given(*case) for case in CASES])
    for case, sides in zip(CASES, found, strict=True):
        for name, side in sides.items():
            python = getattr(model(*case), name)
            assert side["value"] == pytest.approx(python.value, abs=1e-9)
            assert (side["pull"], side["push"]) == pytest.approx(python.pull_and_push_bounds)
            for js, py in (("weights", "weights"), ("z", "tangent"), ("proxies", "gradient_at_proxies")):
                np.testing.assert_allclose(side[js], getattr(python, py).ravel(), atol=1e-8, err_msg=f"{case} {name} {js}")


@pytest.mark.parametrize("which", ["all", "picked", "sample", "proxy"])
def test_edges_are_the_pairs_with_a_weight(evaluate: Evaluate, which: str) -> None:
    seed, dim, settings = CASES[0]
    case = (seed, dim, replace(settings, edges=which))
    [sides] = evaluate(ASK, [given(*case)])
    for name, side in sides.items():
        python = getattr(model(*case), name)
        heavy = python.heavy
        if which != "all":
            of = {"nca": "sample", "anchor": "proxy"}[name] if which == "picked" else which
            own = np.arange(11)[:, None] == 6 if of == "sample" else np.arange(5) == 1
            heavy &= own
        drawn = {(edge["sample"], edge["proxy"]): edge["weight"] for edge in side["edges"]}
        assert set(drawn) == set(map(tuple, np.argwhere(heavy).tolist()))
        for pair, weight in drawn.items():
            assert weight == pytest.approx(python.weights[pair])
        pulls = sum(weight < 0 for weight in drawn.values())
        assert f"pulls: {pulls}" in side["words"]


def test_shares_are_given_only_of_existing_pulls_and_pushes(evaluate: Evaluate) -> None:
    scene = {"n": 2, "dim": 2, "z": [1.0, 0.0, 0.0, 1.0], "y": [0, 1], "proxies": [1.0, 0.0, 0.0, 1.0]}
    drawn = settings_of(Settings(ProxyNCA(scale=4.0, positive_in_denominator=True)))[1]
    [sides] = evaluate(ASK, [{"scene": scene, "settings": drawn, "picked": [0, 0]}])
    assert sides["nca"]["words"].endswith("; pulls: 0; pushes: 0.")
    assert sides["anchor"]["words"].endswith("; pulls: 0; pushes: 2, 96% of the maximum.")


def test_proxy_nca_of_a_scene_with_one_proxy_is_zero(evaluate: Evaluate) -> None:
    scene = {"n": 2, "dim": 2, "z": [1.0, 0.0, 0.0, 1.0], "y": [0, 0], "proxies": [0.0, -1.0]}
    drawn = settings_of(Settings())[1]
    [sides] = evaluate(ASK, [{"scene": scene, "settings": drawn, "picked": [0, 0]}])
    assert sides["nca"]["value"] == 0
    assert not any(sides["nca"]["weights"])
    proxies = torch.tensor(((0.0, -1.0),), dtype=torch.float64)
    value = ProxyAnchor().value(torch.eye(2, dtype=torch.float64), torch.tensor((0, 0)), proxies=proxies)
    assert sides["anchor"]["value"] == pytest.approx(float(value))
