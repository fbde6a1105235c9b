"""The scene in the hand as the browser has it, against Python."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from dml_viz.embedding.roles import ROLES, settle
from dml_viz.embedding.scene import SCENES, Scene, preset
from tests.embedding.test_scene import at_random
from tests.javascript import Evaluate, evaluating

ON_THE_PATH = 2e-4  # path data have four decimals


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluate]:
    with evaluating(tmp_path_factory.mktemp("assets")) as evaluate:
        yield evaluate


SCENES_AT_RANDOM = [at_random(dim, seed, stars=seed % 2 == 0) for seed in range(20) for dim in (2, 3)]


def test_the_browser_reads_and_writes_scenes_as_python_does(evaluate: Evaluate) -> None:
    texts = [scene.write() for scene in SCENES_AT_RANDOM]
    body = """
      const { read, write, rows, classes } = await asset("scene/scene.js");
      return given.map((text) => {
        const scene = read(text);
        return { scene, text: write(scene), z: [...rows(scene.points)], many: classes(scene) };
      });
    """
    for made, text, found in zip(SCENES_AT_RANDOM, texts, evaluate(body, texts), strict=True):
        assert found["text"] == text
        assert found["scene"]["dim"] == made.dim
        assert found["many"] == made.classes
        assert [tuple(place) for place in found["scene"]["points"]] == list(made.points)
        assert [tuple(place) for place in found["scene"]["stars"]] == list(made.stars)
        assert found["scene"]["labels"] == list(made.labels)
        assert np.allclose(np.reshape(found["z"], (-1, made.dim)), made.subject().z.numpy(), rtol=0, atol=1e-15)


def test_a_place_is_the_place_of_its_vector(evaluate: Evaluate) -> None:
    places = [place for scene in SCENES_AT_RANDOM for place in scene.points]
    body = """
      const { vector, placeOf } = await asset("scene/scene.js");
      return given.map((place) => placeOf(vector(place)));
    """
    assert [tuple(place) for place in evaluate(body, places)] == places


def test_the_browser_lifts_the_circle_to_the_sphere_as_python_does(evaluate: Evaluate) -> None:
    flat = [preset(name, stars=True) for name in SCENES]
    body = """
      const { read, write, within } = await asset("scene/scene.js");
      return given.map((text) => [write(within(read(text), 3)), write(within(within(read(text), 3), 2))]);
    """
    told = evaluate(body, [scene.write() for scene in flat])
    assert told == [[scene.within(3).write(), scene.write()] for scene in flat]


def test_the_browser_gives_roles_as_python_does(evaluate: Evaluate) -> None:
    rng = random.Random(1)
    triplet = ("anchor", "positive", "negative")
    asked = []
    for scene in SCENES_AT_RANDOM:
        for roles in (triplet, ("query",), ("proxy", "positive", "negative"), tuple(rng.choices(ROLES, k=3))):
            asked.append(([rng.randint(-1, 12) for _ in roles], roles, scene))
    body = """
      const { settle } = await asset("scene/roles.js");
      const { read } = await asset("scene/scene.js");
      return given.map(([wished, roles, text]) => settle(wished, roles, read(text)));
    """
    told = evaluate(body, [(wished, roles, scene.write()) for wished, roles, scene in asked])
    assert told == [list(settle(*question)) for question in asked]


def test_clicks_on_a_triplet_go_to_the_roles_that_they_fit(evaluate: Evaluate) -> None:
    body = """
      const { pick, settle } = await asset("scene/roles.js");
      const { read } = await asset("scene/scene.js");
      const [roles, scene] = [["anchor", "positive", "negative"], read("a10_20_30b40_50_60")];
      let hand = { picked: settle([], roles, scene), place: 0 };
      return [4, 5, 2, 0, 3].map((index) => {
        hand = pick(hand, { index, star: false }, roles, scene);
        return [...hand.picked, hand.place];
      });
    """
    assert evaluate(body) == [
        [4, 3, 0, 1],  # the anchor's class has another positive now
        [4, 5, 0, 2],
        [4, 5, 2, 0],
        [0, 1, 3, 1],  # the anchor again
        [0, 1, 3, 0],  # of another class: it cannot be the positive, so it is the negative
    ]


STATE = """
  const { State } = await asset("scene/state.js");
  const calls = [];
  const state = new State((final) => calls.push(final));
  const presets = { one: ["a10_20b40_50", "a10~0_20~0b40~0_50~0"], two: ["a1_2b3", "a1~0_2~0b3~0"] };
  const data = { base: "one", picked: [0], choose: ["query"], presets, limits: { fewest: 2, most: 6, classes: 3 } };
  state.take({ ...data, scene: presets.one[0] }, true);
  const { write } = await asset("scene/scene.js");
  const text = () => write(state.scene);
"""


def test_whatever_a_hand_does_can_be_undone_and_done_again(evaluate: Evaluate) -> None:
    body = """
      const does = [
        () => (state.note(), state.drag(1, [33.3333]), state.drag(1, [35]), state.drop()), () => state.pick(2),
        () => state.add(), () => state.relabel(), () => state.remove(), () => state.turnInto(3), () => state.preset("two"),
        () => state.nudge(0, 10, 0), () => state.reset(),
      ];
      const seen = [[text(), state.picked]];
      for (const act of does) {
        act();
        seen.push([text(), state.picked]);
      }
      const back = [];
      while (state.canUndo) {
        back.push([text(), state.picked]);
        state.undo();
      }
      back.push([text(), state.picked]);
      while (state.canRedo) state.redo();
      return { seen, back, last: [text(), state.picked] };
    """
    told = evaluate(STATE + body)
    assert told["seen"][1][0] == "a10_35b40_50"
    assert all(before != after for before, after in pairwise(told["seen"])), "everything changes something"
    assert told["back"] == told["seen"][::-1]
    assert told["last"] == told["seen"][-1]


def test_a_hand_cannot_do_what_a_link_could_not_hold(evaluate: Evaluate) -> None:
    body = """
      while (state.canAdd) state.add();
      const most = text();
      const labels = [];
      for (let k = 0; k < 4; k += 1) {
        state.relabel();
        labels.push(state.labelOf(state.touched));
      }
      while (state.canRemove) state.remove();
      return { most, labels, least: text() };
    """
    told = evaluate(STATE + body)
    assert len(Scene.read(told["most"]).points) == 6
    assert told["labels"] == [1, 2, 0, 1], "a class of its own comes after the last one that has others"
    assert len(Scene.read(told["least"]).points) == 2


def test_a_point_that_is_taken_away_leaves_the_query_where_it_was(evaluate: Evaluate) -> None:
    body = """
      state.pick(2);
      state.touched = 0;
      state.remove();
      return [text(), state.picked];
    """
    assert evaluate(STATE + body) == ["a20b40_50", [1]]


def test_a_drag_is_one_step_back_and_so_are_key_presses_in_a_row(evaluate: Evaluate) -> None:
    body = """
      for (let k = 0; k < 5; k += 1) state.nudge(1, 1, 0);
      const moved = text();
      state.undo();
      const back = text();
      return [moved, back, state.canUndo, calls.filter(Boolean).length];
    """
    assert evaluate(STATE + body) == ["a10_25b40_50", "a10_20b40_50", False, 1]


def test_scenes_of_python_are_taken_only_as_a_new_revision(evaluate: Evaluate) -> None:
    body = """
      state.take({ ...data, scene: "a1_2" }, false);
      const before = text();
      state.take({ ...data, scene: "a1_2" }, true);
      const after = text();
      state.undo();
      return [before, after, text()];
    """
    assert evaluate(STATE + body) == ["a10_20b40_50", "a1_2", "a10_20b40_50"]


def numbers(path: str) -> np.ndarray:
    """The ends of all pieces of path data, straight and round (n, 2)."""
    ends = re.findall(r"[ML]([-\d.]+) ([-\d.]+)|A(?:[-\d.]+ ){5}([-\d.]+) ([-\d.]+)", path)
    return np.array([[float(value) for value in piece if value] for piece in ends])


@pytest.mark.parametrize("radius", [0.05, 0.5, 1.0, math.sqrt(2), 1.7, 1.99])
def test_the_boundary_of_a_cap_is_where_the_distance_is_its_radius(evaluate: Evaluate, radius: float) -> None:
    rng = np.random.default_rng(int(100 * radius))
    centres = rng.normal(size=(5, 3))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    body = """
      const { arcCap, cap } = await asset("scene/caps.js");
      const { Camera } = await asset("kit/sphere.js");
      const camera = Object.assign(new Camera(), { turn: 0.7, tilt: 0.3 });
      return given.centres.map((centre) => {
        const length = Math.hypot(centre[0], centre[1]);
        const flat = [centre[0] / length, centre[1] / length];
        return { flat, arc: arcCap(flat, given.radius), solid: cap(centre, given.radius, camera) };
      });
    """
    unproject = """
      const { Camera } = await asset("kit/sphere.js");
      const camera = Object.assign(new Camera(), { turn: 0.7, tilt: 0.3 });
      return given.map(([x, y, side]) => camera.unproject(x, y, side * Math.sqrt(Math.max(0, 1 - x * x - y * y))));
    """
    checked = 0
    for centre, found in zip(centres, evaluate(body, {"centres": centres.tolist(), "radius": radius}), strict=True):
        ends = numbers(found["arc"]["front"])
        assert np.allclose(np.linalg.norm(ends - np.array(found["flat"]), axis=1), radius, atol=ON_THE_PATH)
        assert np.allclose(np.linalg.norm(ends, axis=1), 1, atol=ON_THE_PATH)
        seen = [(*end, side) for side, part in ((1, "front"), (-1, "back")) for end in numbers(found["solid"][part])]
        inner = [place for place in seen if math.hypot(*place[:2]) < 0.99]
        points = np.array(evaluate(unproject, inner)).reshape(-1, 3)
        assert np.allclose(np.linalg.norm(points - centre, axis=1), radius, atol=0.01)
        checked += len(points)
    assert checked > 200


def test_words_cover_no_words_and_no_point_where_there_is_room(evaluate: Evaluate) -> None:
    angles = np.radians([60, 64, 69, 75, 82, 178, 181, 270])
    points = [(200 + 150 * math.cos(angle), 200 - 150 * math.sin(angle)) for angle in angles]
    body = """
      const { best } = await asset("scene/labels.js");
      const taken = given.map(([x, y]) => ({ x, y, r: 7 }));
      const boxes = [];
      for (const [x, y] of given) {
        boxes.push(best({ x, y, text: "negative", towards: [x - 200, y - 200] }, boxes, taken, 400, 400));
      }
      return boxes;
    """
    boxes = [(box["left"], box["top"], box["width"], box["height"]) for box in evaluate(body, points)]
    for k, (left, top, width, height) in enumerate(boxes):
        assert left >= 0
        assert left + width <= 400
        assert top >= 0
        assert top + height <= 400
        for other in boxes[:k]:
            assert (
                left >= other[0] + other[2] or other[0] >= left + width
                or top >= other[1] + other[3] or other[1] >= top + height
            ), (boxes[k], other)  # fmt: skip
