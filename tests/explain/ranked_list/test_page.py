"""The Ranked List page draws what the loss computes: figures read back from the page, every preset, every end of a knob."""

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import subject_picker
from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.explain.ranked_list.figures.map import places_around_query
from dml_viz.explain.ranked_list.model import VARIANTS, Model, Settings
from dml_viz.explain.ranked_list.presets import BLUE, HARDEST, PRESETS
from dml_viz.explain.ranked_list.text import algorithm_steps
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import params
from dml_viz.pitfalls import about
from dml_viz.serve.figure_store import FEW
from tests.samples import pairs_of
from tests.shown import Shown, points_of_run, ran, words
from tests.shown import opened as page_opened

PAGE = "40_ranked_list.py"
PREFIX = "ranked-"
ARROWS = {f"arrows-{place}" for place in range(len(VARIANTS))}
NAMES = {"strip", "temperature", "balls", "queries", *ARROWS}
OF_A_RUN = {"map", *NAMES}


def opened(**link: object) -> AppTest:
    return page_opened(PAGE, {f"ranked_list.{name}": value for name, value in link.items()})


def trace(fig: go.Figure, name: str) -> Any:
    [found] = [trace for trace in fig.data if trace.name == name]
    return found


def test_page_opens_with_every_figure_drawn(shown: Shown) -> None:
    app = opened()
    assert set(shown) == NAMES
    assert "nan" not in words(app).lower()


@pytest.mark.parametrize(("name", "dim"), pairs_of(SCENES, (2, 3)))
def test_every_scene_is_shown_at_the_ends_of_the_knobs(shown: Shown, name: str, dim: int) -> None:
    last = len(preset(name).labels) - 1
    ends = {knob.name: knob.ends for knob in params(RankedList)}
    for place in (0, -1):
        knobs_at = {knob: choices[place] for knob, choices in ends.items()}
        app = opened(scene=name, dim=dim, query=last, **knobs_at, arrows="loss")
        assert set(shown) == NAMES
        assert "nan" not in words(app).lower()


def test_counts_of_a_query_of_a_run_are_right_by_brute_force(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    chooser = points_of_run(3)
    monkeypatch.setattr(subject_picker, "choose_subject", chooser)
    points, labels = chooser().subject().z.tolist(), chooser().subject().y.tolist()
    for alpha, margin, query in ((1.2, 0.4, 17), (0.8, 0.0, 499), (1.6, 1.2, 0)):
        opened(alpha=alpha, margin=margin, query=query)
        d = [math.dist(points[query], point) for point in points]
        same = [label == labels[query] for label in labels]
        far = {j for j in range(500) if j != query and same[j] and d[j] > alpha - margin}
        near = {j for j in range(500) if not same[j] and d[j] < alpha}
        for name in ("map", "strip"):
            assert set(trace(shown[name], "mined positives").customdata) == far
            assert set(trace(shown[name], "mined negatives").customdata) == near
        counted = shown["map"].layout.annotations[0].text
        assert f"{len(far)} of {sum(same) - 1} positives farther than α − m" in counted
        assert f"{len(near)} of {500 - sum(same)} negatives nearer than α" in counted


@pytest.mark.parametrize("dim", [2, 3, 8, 64])
def test_on_the_map_of_a_run_every_distance_to_the_query_is_true(shown: Shown, monkeypatch: pytest.MonkeyPatch, dim: int) -> None:
    chooser = points_of_run(dim)
    monkeypatch.setattr(subject_picker, "choose_subject", chooser)
    opened(query=3)
    assert set(shown) == OF_A_RUN
    model = Model(chooser().subject(), Settings(RankedList(), 3))
    for name in ("mined positives", "spared positives", "mined negatives", "spared negatives"):
        points = trace(shown["map"], name)
        np.testing.assert_allclose(np.hypot(points.x, points.y), model.d[3, points.customdata], atol=1e-9)
    circles = {shape.name: shape for shape in shown["map"].layout.shapes if shape.type == "circle"}
    radii = {name: (circles[name].x1 - circles[name].x0) / 2 for name in ("alpha - m", "alpha")}
    assert tuple(radii.values()) == pytest.approx(model.loss_free_radii)
    assert (circles["alpha"].x0 + circles["alpha"].x1, circles["alpha"].y0 + circles["alpha"].y1) == (0, 0)


def test_the_map_around_a_query_needs_a_plane_in_many_dimensions_and_gives_each_point_a_place() -> None:
    z = np.eye(4)
    with pytest.raises(ValueError, match="pass a plane"):
        places_around_query(z, 0)
    # The opposite point and one perpendicular to the plane have no direction.
    three = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0]])
    np.testing.assert_allclose(np.linalg.norm(places_around_query(three, 0), axis=1), [0, 2, 2**0.5])


@pytest.mark.parametrize("differentiated", VARIANTS)
def test_strip_has_the_shares_and_the_slopes_of_the_loss(shown: Shown, differentiated: str) -> None:
    opened(differentiated=differentiated, temperature=5.0, lam=2.0)
    loss = RankedList(differentiated=differentiated, temperature=5.0, lam=2.0)
    subject = preset("overlapping").subject()
    pair = loss.weights(subject.z, subject.y).pair
    assert pair is not None
    slopes = -len(subject.y) * pair[6] * (subject.z[6] - subject.z).norm(dim=1)
    for name in ("mined positives", "mined negatives"):
        drawn = trace(shown["strip"], f"slopes of {name}")
        np.testing.assert_allclose(drawn.y, slopes[drawn.customdata.astype(int)], atol=1e-9)
    shares = trace(shown["strip"], "shares")
    w = np.exp(5 * (1.2 - shares.x))
    np.testing.assert_allclose(shares.y, w / w.sum(), atol=1e-12)
    curve = trace(shown["strip"], "weight curve")
    within = curve.y < 1
    np.testing.assert_allclose(curve.y[within], np.exp(5 * (1.2 - curve.x[within])) / w.sum(), rtol=1e-9)
    assert curve.x[-1] == pytest.approx(1.2)
    lines = {shape.name: shape.x0 for shape in shown["strip"].layout.shapes if shape.name}
    assert lines == pytest.approx({"alpha - m": 0.8, "alpha": 1.2})


def test_at_temperature_0_all_weights_are_equal_and_at_40_only_the_hardest_counts(shown: Shown) -> None:
    opened(temperature=0.0)
    assert trace(shown["strip"], "shares").y.tolist() == [0.2] * 5
    opened(temperature=40.0)
    shares = trace(shown["strip"], "shares").y
    assert shares[0] == shares.max() > 0.98
    first = trace(shown["temperature"], "share 1")
    assert (first.y[0], first.y[-1]) == pytest.approx((0.2, shares[0]))
    assert all(np.diff(first.y) > 0)


@pytest.mark.parametrize("whose", ["query", "loss"])
def test_arrows_are_drawn_side_by_side_and_are_the_descent_of_each_variant(shown: Shown, whose: str) -> None:
    opened(arrows=whose)
    subject = preset("overlapping").subject()
    model = Model(subject, Settings(RankedList(), 6))
    scales = set()
    for place, variant in enumerate(VARIANTS):
        fig = shown[f"arrows-{place}"]
        arrows = trace(fig, "arrows")
        scales.add(fig.layout.meta["scale"])
        drawn = np.zeros((len(subject.y), 2))
        drawn[arrows.customdata] = np.stack((arrows.u, arrows.v), 1) / fig.layout.meta["scale"]
        if whose == "loss":
            wanted = -replace(model.settings.loss, differentiated=variant).gradient(subject.z, subject.y).numpy()
        else:
            wanted = model.arrows_of_query[variant]
        np.testing.assert_allclose(drawn, wanted, atol=1e-9)
    assert len(scales) == 1


def test_balls_have_the_diameter_alpha_less_m_and_ring_the_points_outside(shown: Shown) -> None:
    opened(alpha=1.4, margin=0.8, scene="two modes in one class", query=0)
    subject = preset("two modes in one class").subject()
    points = subject.z.numpy()
    outside = set()
    balls = [shape for shape in shown["balls"].layout.shapes if shape.name]
    for label, ball in enumerate(balls):
        centre = np.array([ball.x0 + ball.x1, ball.y0 + ball.y1]) / 2
        assert ball.x1 - ball.x0 == pytest.approx(0.6)
        mean = points[subject.y.numpy() == label].mean(0)
        assert centre[0] * mean[1] == pytest.approx(centre[1] * mean[0], abs=1e-9)
        outside |= {i for i, y in enumerate(subject.y.tolist()) if y == label and math.dist(points[i], centre) > 0.3 + 1e-9}
    assert set(trace(shown["balls"], "outside").customdata) == outside
    assert f"{len(outside)} of 11 points outside" in shown["balls"].layout.annotations[0].text


def test_costs_of_all_queries_average_to_the_loss(shown: Shown) -> None:
    opened(lam=2.5)
    subject = preset("overlapping").subject()
    value = float(RankedList(lam=2.5).value(subject.z, subject.y))
    pull, push = (trace(shown["queries"], name) for name in ("pull", "λ · push"))
    assert (pull.y + push.y).mean() == pytest.approx(value)
    assert all(np.diff(pull.y + push.y) <= 1e-12)
    [line] = [shape for shape in shown["queries"].layout.shapes if shape.name == "loss"]
    assert line.y0 == pytest.approx(value)


def test_the_page_opens_on_a_query_whose_positives_look_positive_and_a_link_without_a_query_keeps_its_own() -> None:
    app = opened()
    assert dict(app.query_params) == {"ranked_list.query": str(BLUE)}
    assert r"L_{3}=" in app.latex[1].value
    scene = preset("overlapping")
    assert scene.labels[BLUE] == 0, "the first class has the colour of positive pairs"
    assert r"L_{6}=" in opened(arrows="loss").latex[1].value


def test_the_formula_has_the_numbers_of_the_query(shown: Shown) -> None:
    app = opened(query=6)
    subject = preset("overlapping").subject()
    value = float(RankedList().value(subject.z, subject.y))
    numbers = app.latex[1].value
    assert r"L_{6}=\tfrac1{1}\big[(0.939-0.8)\big]+1\,\big[0.715\,(1.2-0.105)" in numbers
    assert f"={value:.3f}" in numbers
    assert "+0=0.000" in opened(scene="separated", query=0).latex[1].value


SAID = {
    HARDEST.label: ["5 negatives are nearer", "1/5 = 0.200", "**0.942**", "= 16 times"],
    "Collapse": ["12 points are one point", "the loss is 1.200 = λα", "longest arrow is 0."],
    "Dead gradient": ["0.433 apart, less than α − m = 0.8", "1.451, more than α = 1.2", "0 pairs have a gradient"],
    "No room": ["α − m = −0.4", "36 of 36 pairs", "would cost 0.4"],
    "Wrong way": ["4 of 5 mined negatives are pulled towards", "up to +0.055"],
    "A class of one": ["0 positives to pull", "N = 9 queries"],
    "No push": ["38 mined pairs of negatives have slope 0", "The loss, 0.111"],
}


@pytest.mark.parametrize("chosen", PRESETS, ids=lambda preset: preset.label)
def test_a_preset_takes_one_click_and_says_what_happened(shown: Shown, chosen: Any) -> None:
    app = opened(scene="antipodal", alpha=0.9, dim=3)
    app.button(key="see" if chosen is HARDEST else f"break.{chosen.label}").click()
    ran(app)
    [note] = app.info
    for number in SAID[chosen.label]:
        assert number in note.value
    assert set(shown) == NAMES
    app.session_state["ranked_list.alpha"] = 1.05
    ran(app)
    assert app.info[0].value == f"Before your changes. {note.value}"


def test_a_link_to_the_hardest_negative_says_why(shown: Shown) -> None:
    link = {"temperature": 40.0, "query": BLUE}
    app = opened(**link)
    assert "**0.942**" in app.info[0].value
    assert dict(app.query_params) == {f"ranked_list.{name}": str(value) for name, value in link.items()}


def test_a_scene_placed_by_hand_is_what_the_figures_show(shown: Shown) -> None:
    scene = Scene(2, ((10.0,), (20.0,), (31.5,), (200.0,)), (0, 0, 1, 1))
    opened(at=scene.write(), query=2)
    model = Model(scene.subject(), Settings(RankedList(), 2))
    strip = shown["strip"]
    distances = np.concatenate([trace.x for trace in strip.data if trace.name in KINDS])
    np.testing.assert_allclose(np.sort(distances), model.ranking.d, atol=1e-9)


KINDS = [f"{mined} {kind}" for mined in ("mined", "spared") for kind in ("positives", "negatives")]


def test_every_pitfall_of_the_loss_is_shown_with_its_numbers(shown: Shown) -> None:
    text = words(opened())
    assert len(about(("ranked_list",))) == 4
    for pitfall in about(("ranked_list",)):
        assert f"| **{pitfall.title}.** {pitfall.claim} | {pitfall.answer}" in text
    assert "**On these points** α = 1.2 on d mines 5 of the query's 8 negatives" in text
    assert text.count("**On these points**") == 4


def test_the_default_of_a_knob_is_the_best_that_its_authors_report() -> None:
    for knob in params(RankedList):
        table = knob.published[1]
        assert not table or max(table, key=lambda at: table[at]) == knob.default


def test_a_view_of_few_points_is_computed_once_for_all(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(temperature=23.0)
    module = sys.modules["dml_viz.explain.ranked_list.model"]
    monkeypatch.setattr(module, "Ranking", lambda *_: pytest.fail("computed again"))
    ran(app)
    assert len(preset("overlapping").labels) <= FEW < 500


def test_the_algorithm_has_the_numbers_of_the_query() -> None:
    of = preset("overlapping").subject()
    seen = Model(of, Settings(RankedList(), query=4))
    d, same = seen.d[4], (seen.y == seen.y[4]) & (np.arange(len(seen.y)) != 4)
    far, near = same & (d > 0.8), (seen.y != seen.y[4]) & (d < 1.2)
    share = np.exp(10 * (1.2 - d[near]))
    share /= share.sum()
    cost = (d[far] - 0.8).mean() + (share * (1.2 - d[near])).sum()
    text = algorithm_steps(seen)
    assert f"the {far.sum()} positives beyond" in text
    assert f"the {near.sum()} negatives within" in text
    assert f"the largest share is {share.max():.3f}" in text
    assert f"is {cost:.3f}. The loss is the mean over all queries, {seen.value:.3f}" in text
    assert text.count("\n") == 4
    two = Model(Scene.read("a0b60").subject(), Settings(RankedList(), query=0))
    assert "the 1 other point by distance to query #0: 1.000 to 1.000, 0 of them positives." in algorithm_steps(two)
