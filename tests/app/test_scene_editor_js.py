"""The scene editor in the browser, against Python."""

import random

import numpy as np

from dml_viz.embedding.roles import ROLES, fitting_roles
from dml_viz.embedding.scene import SCENES, preset
from tests.embedding.test_scene import at_random
from tests.javascript import Evaluate

SCENES_AT_RANDOM = [at_random(dim, seed, proxies=seed % 2 == 0) for seed in range(20) for dim in (2, 3)]


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
        assert [tuple(place) for place in found["scene"]["proxies"]] == list(made.proxies)
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
    flat = [preset(name, proxies=True) for name in SCENES]
    body = """
      const { read, write, within } = await asset("scene/scene.js");
      return given.map((text) => [write(within(read(text), 3)), write(within(within(read(text), 3), 2))]);
    """
    result = evaluate(body, [scene.write() for scene in flat])
    assert result == [[scene.within(3).write(), scene.write()] for scene in flat]


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
      return given.map(([wanted, roles, text]) => settle(wanted, roles, read(text)));
    """
    result = evaluate(body, [(wanted, roles, scene.write()) for wanted, roles, scene in asked])
    assert result == [list(fitting_roles(*question)) for question in asked]
