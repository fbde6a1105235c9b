"""The browser's arrows of many losses during a drag, against Python."""

import json
from typing import Any

import numpy as np
import pytest

from dml_viz.analysis import LossResponse
from dml_viz.embedding.scene import MOST_CLASSES, Scene, preset
from dml_viz.explain.gradients.components import overlay_settings
from dml_viz.explain.gradients.figures._panel import assign_lanes, number
from dml_viz.explain.gradients.model_inputs import loss_input_of_scene
from dml_viz.explain.gradients.model_panels import SCALES, arrow_factors
from dml_viz.losses import LOSSES
from dml_viz.plot import canvas
from tests.corners import corners
from tests.javascript import Evaluate

FOLLOW = """
  const { Follower } = await asset("gradients/follow.js");
  const { fromScene } = await asset("gradients/contents.js");
  const { scene: { n, dim, z, y, proxies, classes }, losses, part } = given;
  const scene = { n, dim, classes, y: Int32Array.from(y), z: Float64Array.from(z), proxies: Float64Array.from(proxies) };
  const follower = new Follower();
  follower.gradient = (await asset("losses/losses.js")).gradient;
  follower.take(losses, Object.keys(losses)[0]);
  let rounds = 1;
  while (follower.look(scene)) rounds += 1;
  const { found } = follower;
  const contents = fromScene({ found, scene, names: Object.keys(losses) }, {}, { part });
  return { rounds, contents: contents.map((content) => ({
    name: content.name, value: content.value, norm: content.norm, points: content.points, pairs: content.pairs,
    radial: content.radial, arrows: [...content.arrows], lengths: [...content.lengths], owners: [...content.owners],
    part: content.part, along: [...found[content.name].along],
    partners: Array.from({ length: n }, (_, i) => content.partners(i)),
  })) };
"""


def sent(scene: Scene) -> dict[str, Any]:
    """A scene as the scene editor sends it to its overlay."""
    subject = scene.subject()
    rows = {"z": subject.z, "y": subject.y, "proxies": subject.learnt["proxies"]}
    flat = {name: tensor.flatten().tolist() for name, tensor in rows.items()}
    return {"n": len(subject.y), "dim": scene.dim, "classes": scene.classes, **flat}


def follow(evaluate: Evaluate, scene: Scene, losses: dict[str, Any], part: str) -> dict[str, Any]:
    settings = json.loads(json.dumps(overlay_settings(losses, part, "triplet")))
    return evaluate(FOLLOW, {"scene": sent(scene), "losses": settings["losses"], "part": part})


@pytest.mark.parametrize("part", ["tangent", "ambient"])
@pytest.mark.parametrize(("where", "dim"), [("one hard negative", 2), ("overlapping", 3), ("an outlier", 2)])
def test_every_loss_has_the_gradient_of_python(evaluate: Evaluate, where: str, dim: int, part: str) -> None:
    scene = preset(where, dim, proxies=True)
    losses = {name: kind() for name, kind in LOSSES.items()}
    found = follow(evaluate, scene, losses, part)["contents"]
    assert [content["name"] for content in found] == list(losses)
    subject = scene.subject()
    for content in found:
        name = content["name"]
        python = LossResponse(losses[name], loss_input_of_scene(losses[name], subject, MOST_CLASSES))
        near = {"atol": 1e-7 * max(1.0, float(np.abs(python.raw_gradient).max()))}
        arrows = python.raw_gradient if part == "ambient" else python.tangent
        assert content["part"] == part
        np.testing.assert_allclose(np.reshape(content["arrows"], arrows.shape), arrows, err_msg=name, **near)
        np.testing.assert_allclose(np.reshape(content["along"], arrows.shape), python.tangent, err_msg=name, **near)
        assert content["value"] == pytest.approx(python.value, abs=1e-9)
        assert content["norm"] == pytest.approx(python.gradient_norm, abs=1e-7)
        assert content["points"] == list(python.active_points), name
        assert content["pairs"] == list(python.active_pairs), name
        assert content["owners"] == [k // losses[name].per_class for k in range(len(content["owners"]))]
        for i, partners in enumerate(content["partners"]):
            own = {j - (len(subject.y) if python.has_proxies else 0): w for j, w in partners}
            weights = [own.get(j, 0.0) for j in range(python.weights.shape[1])]
            np.testing.assert_allclose(weights, python.weights[i], err_msg=name, **near)
            sizes = [abs(w) for _, w in partners]
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", ["triplet", "margin", "n_pair", "soft_triple", "proxy_nca"])
def test_knobs_change_the_gradient(evaluate: Evaluate, name: str) -> None:
    scene = preset("overlapping", 2, proxies=True)
    losses = {f"{name}.{k}": LOSSES[name](**corner) for k, corner in enumerate(corners(LOSSES[name])) if k < 6}
    for content in follow(evaluate, scene, losses, "tangent")["contents"]:
        python = LossResponse(
            losses[content["name"]], loss_input_of_scene(losses[content["name"]], scene.subject(), MOST_CLASSES)
        )
        assert content["value"] == pytest.approx(python.value, rel=1e-9, abs=1e-9)


def test_losses_without_time_in_a_frame_follow_later(evaluate: Evaluate) -> None:
    points = tuple((7.0 * k,) for k in range(48))
    scene = Scene(2, points, tuple(k % 4 for k in range(48))).with_proxies()
    found = follow(evaluate, scene, {name: kind() for name, kind in LOSSES.items()}, "tangent")
    assert found["rounds"] > 1
    assert len(found["contents"]) == len(LOSSES)


@pytest.mark.parametrize("scale", SCALES)
def test_factors_are_those_of_python(evaluate: Evaluate, scale: str) -> None:
    random = np.random.default_rng(0)
    for n in (9, 40, 100):
        lengths = [random.exponential(size=n) * 10.0**k for k in range(-3, 3)]
        lengths[2][4:] = 0
        lengths[3][:] = 0
        lengths[4][0] *= 50
        body = 'const { factors } = await asset("gradients/numbers.js"); return factors(given.lengths, given.scale);'
        found = evaluate(body, {"lengths": [own.tolist() for own in lengths], "scale": scale})
        np.testing.assert_allclose(found, arrow_factors(lengths, scale))


def test_lanes_are_those_of_python(evaluate: Evaluate) -> None:
    random = np.random.default_rng(1)
    cases = []
    for n in (1, 2, 5, 12, 60):
        angle = random.uniform(-np.pi, np.pi, n) if n != 12 else np.sort(random.normal(3.1, 0.2, n))
        places = np.stack((np.cos(angle), np.sin(angle)), 1)
        length = random.normal(0, 0.3, n)
        length[::4] = 0.001
        cases.append((places, length[:, None] * np.stack((-np.sin(angle), np.cos(angle)), 1)))
    body = """
      const { lanes } = await asset("gradients/lanes.js");
      const both = (rows) => ({ x: rows.map(([x]) => x), y: rows.map(([, y]) => y) });
      return given.map(([at, arrows]) => [...lanes(both(at), both(arrows))]);
    """
    found = evaluate(body, [(places.tolist(), arrows.tolist()) for places, arrows in cases])
    for (places, arrows), own in zip(cases, found, strict=True):
        assert assign_lanes(places, arrows).tolist() == own
    assert max(found[3]) > 1


def test_arrows_in_one_lane_are_apart() -> None:
    angle = np.linspace(1, 1.6, 9)
    places = np.stack((np.cos(angle), np.sin(angle)), 1)
    found = assign_lanes(places, 0.4 * np.stack((-np.sin(angle), np.cos(angle)), 1))
    for lane in set(found.tolist()):
        own = np.sort(angle[found == lane])
        assert (np.diff(own) > np.arctan(0.4)).all()


def test_numbers_are_written_alike(evaluate: Evaluate) -> None:
    values = [0.0, 1.0, 0.12345, 99.9, 734.2, 123456.0, 0.00012, -3.25, -1e-7, -0.0]
    body = 'const { fixed, short } = await asset("draw/words.js"); return [given.map(short), given.map(fixed)];'
    found, with_three_decimals = evaluate(body, values)
    assert with_three_decimals == [canvas.number(v, ".3f") for v in values]
    assert [canvas.number(v, ".1%") for v in (-4e-4, -0.0, -0.001)] == ["0.0%", "0.0%", "−0.1%"]
    assert [float(text.replace("−", "-")) for text in found] == [float(number(v).replace("−", "-")) for v in values]
