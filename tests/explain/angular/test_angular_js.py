"""The Angular page's overlay of the scene editor, against Python."""

import numpy as np
import pytest
import torch

from dml_viz.explain.angular.model_triangle import LABELS, Triangle, angular_push, triplet_push
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.params import knobs
from tests.javascript import Evaluate

BODY = """
  const { construct, both } = await asset("scene/overlays/angular.js");
  const losses = await asset("losses/losses.js");
  const { rows, angular, triplet } = given;
  return rows.map((three) => {
    const { centre, radius, touch, angle, broken } = construct(three, angular.alpha);
    const pushes = [false, true].map((orders) => both(losses, three, { angular, triplet, both: orders }, three[0].length));
    return { centre, radius, touch, angle, broken, pushes };
  });
"""


def triangles() -> list[np.ndarray]:
    random = np.random.default_rng(0)
    rows = [random.normal(size=(3, dim)) for dim in (2, 3) for _ in range(40)]
    rows += [np.array(three) for three in (((1, 0), (-1, 0), (0.6, 0.8)), ((1, 0), (1, 0), (0, 1)), ((0, 1), (0, 1), (0, 1)))]
    return [three / np.linalg.norm(three, axis=1, keepdims=True) for three in rows]


@pytest.mark.parametrize("form", ["hinge", "logistic", "N-pair"])
@pytest.mark.parametrize("squared", [True, False])
def test_triangle_and_arrows_are_those_of_python(evaluate: Evaluate, form: str, squared: bool) -> None:
    angular = Angular(form=form, alpha=50.0 if squared else 36.0, constant_kept=not squared)
    triplet = Triplet(mining="all", margin=0.3, squared=squared)
    every = triangles()
    given = {"rows": [rows.tolist() for rows in every], "angular": knobs(angular), "triplet": knobs(triplet)}
    for rows, drawn in zip(every, evaluate(BODY, given), strict=True):
        triangle = Triangle(rows)
        np.testing.assert_allclose(drawn["centre"], triangle.centre, atol=1e-12)
        np.testing.assert_allclose(drawn["touch"], triangle.centre + triangle.plane @ triangle.x_m, atol=1e-9)
        assert drawn["angle"] == (None if triangle.is_one_point else pytest.approx(triangle.angle))
        one, both = drawn["pushes"]
        expected = angular_push(angular, rows).tangent
        np.testing.assert_allclose(one[0], expected, atol=1e-9)
        np.testing.assert_allclose(both[0], expected, atol=1e-9)
        np.testing.assert_allclose(one[1], triplet_push(triplet, rows, both=False).tangent, atol=1e-9)
        np.testing.assert_allclose(both[1], triplet_push(triplet, rows, both=True).tangent, atol=1e-9)


def test_arrows_at_the_bound_and_at_the_margin_are_none_as_in_python(evaluate: Evaluate) -> None:
    angular, triplet = Angular(form="hinge"), Triplet(margin=1.0)
    degrees = np.radians([(0, 180, 60), (0, 180, 100), (0, 180, 110), (0, 90, 120), (0, 90, 240)])
    every = np.stack((np.cos(degrees), np.sin(degrees)), -1)
    given = {"rows": every.tolist(), "angular": knobs(angular), "triplet": knobs(triplet)}
    for rows, drawn in zip(every, evaluate(BODY, given), strict=True):
        for both, pushes in zip((False, True), drawn["pushes"], strict=True):
            expected = angular_push(angular, rows).tangent, triplet_push(triplet, rows, both=both).tangent
            np.testing.assert_allclose(pushes, expected, atol=1e-9)


def test_a_negative_breaks_the_bound_within_the_cap_that_is_drawn(evaluate: Evaluate) -> None:
    angular, every = Angular(alpha=40.0, form="hinge"), triangles()[:-3]
    given = {"rows": [rows.tolist() for rows in every], "angular": knobs(angular), "triplet": knobs(Triplet(mining="all"))}
    random = np.random.default_rng(1)
    for rows, drawn in zip(every, evaluate(BODY, given), strict=True):
        broken = drawn["broken"]
        for negative in random.normal(size=(25, rows.shape[1])):
            negative /= np.linalg.norm(negative)
            within = broken is not None and np.linalg.norm(negative - broken["centre"]) < broken["radius"]
            three = torch.from_numpy(np.stack((rows[0], rows[1], negative)))
            assert (float(angular.value(three, LABELS)) > 0) == within
