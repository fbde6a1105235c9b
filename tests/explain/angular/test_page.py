"""The Angular page draws what the losses compute: triangle, arrows, landscapes and counts, read from its figures."""

import math
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest

from dml_viz.app import subject_picker
from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.explain.angular.figures._plane import colour_of_words
from dml_viz.explain.angular.model import ANCHOR_ALONE, ONE_CLASS, Model, Settings, worst_triangle_of_anchor
from dml_viz.explain.angular.model_triangle import LABELS, Triangle
from dml_viz.explain.angular.presets import LESSON, PRESETS
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls import about
from dml_viz.plot.style import POSITIVE
from dml_viz.serve.figure_store import FEW
from tests.samples import pairs_of
from tests.shown import Shown, points_of_run, ran, unfold, words
from tests.shown import opened as page_opened

PAGE = "50_angular.py"
PREFIX = "angular-"
NAMES = {"triangle", "angular", "triplet", "circle", "scaled", "against_scale", "angles", "dimensions", "forms", "fan", "spreads"}
OF_A_RUN = {"points", *NAMES}
LESSON_ROLES = (4, 0, 5)


def opened(**link: object) -> AppTest:
    return page_opened(PAGE, {f"angular.{name}": value for name, value in link.items()})


def trace(fig: go.Figure, name: str) -> Any:
    [found] = [trace for trace in fig.data if trace.name == name]
    return found


def roles(points: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("anchor", "positive", "negative"), points, strict=True))


def vectors(fig: go.Figure, name: str = "arrows") -> np.ndarray:
    """The arrows (3, 2) as they were before they were scaled."""
    drawn = trace(fig, name)
    ends = np.stack((drawn.x, drawn.y), 1).reshape(3, 3, 2)
    return np.asarray((ends[:, 1] - ends[:, 0]) / fig.layout.meta["scale"])


def corners(fig: go.Figure) -> np.ndarray:
    return np.array([(*trace(fig, f"x<sub>{k}</sub>").x, *trace(fig, f"x<sub>{k}</sub>").y) for k in "apn"])


def flat(gradient: Any, rows: np.ndarray) -> np.ndarray:
    return Triangle(rows).in_plane(-np.asarray(gradient))


def test_page_opens_with_every_figure_drawn(shown: Shown) -> None:
    app = opened()
    assert set(shown) == NAMES
    assert "nan" not in words(app).lower()
    assert not app.info
    assert not app.warning


ENDS = {
    2: ((25, "hinge", False, 0, True, "one", "chords", 0.25), (60, "logistic", True, 1, False, "both", "tangent", 4)),
    3: ((80, "N-pair", False, 4, True, "both", "chords", 1), (1, "logistic", False, 0.2, False, "one", "tangent", 2)),
}


@pytest.mark.parametrize(("name", "dim"), pairs_of(SCENES, (2, 3)))
def test_every_scene_is_shown_at_the_ends_of_the_knobs(shown: Shown, name: str, dim: int) -> None:
    labels = preset(name).labels
    for alpha, form, constant_kept, margin, squared, orders, arrows, scale in ENDS[dim]:
        app = opened(
            scene=name,
            dim=dim,
            alpha=alpha,
            form=form,
            constant_kept=constant_kept,
            margin=margin,
            squared=squared,
            orders=orders,
            arrows=arrows,
            scale=scale,
            turn=-180,
        )
        assert set(shown) == (NAMES if len(set(labels)) < len(labels) else set())
        assert "nan" not in words(app).lower()
        assert "-0.00" not in words(app)


@pytest.mark.parametrize("dim", [2, 3])
def test_the_triangle_is_drawn_to_scale_with_its_circle_bound_and_angle(shown: Shown, dim: int) -> None:
    opened(**roles(LESSON_ROLES), dim=dim, alpha=36)
    rows = preset("overlapping", dim).subject().z.numpy()[list(LESSON_ROLES)]
    fig = shown["triangle"]
    drawn = corners(fig)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert math.dist(drawn[i], drawn[j]) == pytest.approx(math.dist(rows[i], rows[j]))
    half = math.dist(rows[0], rows[1]) / 2
    reach = math.dist(rows[2], (rows[0] + rows[1]) / 2)
    circle, bound = (np.hypot(trace(fig, name).x, trace(fig, name).y) for name in ("circle", "n′ above α"))
    np.testing.assert_allclose(circle, half)
    np.testing.assert_allclose(bound, half / math.tan(math.radians(36)))
    m = trace(fig, "x<sub>m</sub>")
    assert math.hypot(m.x[0], m.y[0]) == pytest.approx(half)
    assert m.x[0] * drawn[2, 0] + m.y[0] * drawn[2, 1] == pytest.approx(0)
    assert f"n′ = {math.degrees(math.atan2(half, reach)):.1f}° > α = 36°" in fig.layout.annotations[-1].text
    # The end of the ray at alpha, on the line x_c x_m, shows whether the bound holds.
    ray = trace(fig, "ray at α")
    assert math.hypot(ray.x[1], ray.y[1]) == pytest.approx(reach * math.tan(math.radians(36)))
    np.testing.assert_allclose(np.hypot(trace(fig, "the sphere").x - trace(fig, "the sphere").x.mean(), 0).max() > 0, True)


@pytest.mark.parametrize("arrows", ["chords", "tangent"])
def test_the_triangle_shows_where_both_losses_push_the_negative(shown: Shown, arrows: str) -> None:
    opened(**roles(LESSON_ROLES), arrows=arrows, form="hinge")
    fig, n = shown["triangle"], corners(shown["triangle"])[2]
    for name, figure in (("Angular loss", "angular"), ("Triplet loss", "triplet")):
        arrow = trace(fig, name)
        drawn = np.array((arrow.x, arrow.y)).T
        np.testing.assert_allclose(drawn[0], n)
        # As in the figure of that loss alone, by one factor for both.
        np.testing.assert_allclose(drawn[1] - n, fig.layout.meta["scale"] * vectors(shown[figure])[2], atol=1e-9)


def test_tan_and_inequality_are_written_in_numbers(shown: Shown) -> None:
    app = opened(**roles(LESSON_ROLES), form="hinge")
    a, p, n = preset("overlapping").subject().z.numpy()[list(LESSON_ROLES)]
    spread, reach = math.dist(a, p), math.dist(n, (a + p) / 2)
    value = spread**2 - 4 * reach**2
    assert rf"\frac{{{spread:.3f}}}{{2\cdot{reach:.3f}}}={spread / 2 / reach:.3f}\;>\;\tan\alpha=1.000" in words(app)
    assert rf"={spread**2:.3f}-4\cdot1.000\cdot{reach**2:.3f}={value:.3f}" in words(app)
    assert rf"\big[{value:.3f}\big]_+={value:.3f}" in words(app)
    app = opened(**roles(LESSON_ROLES), constant_kept=True)
    assert rf"\log\big(1+e^{{{value + 4:.3f}+(-4.000)}}\big)={math.log1p(math.exp(value)):.3f}" in words(app)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("form", ["hinge", "logistic"])
def test_arrows_are_the_losses_gradients_on_the_three_alone(shown: Shown, dim: int, form: str) -> None:
    z = preset("overlapping", dim).subject().z[list(LESSON_ROLES)]
    opened(**roles(LESSON_ROLES), dim=dim, form=form, orders="both", arrows="tangent")
    for name, loss in (("angular", Angular(form=form)), ("triplet", Triplet(mining="all"))):
        np.testing.assert_allclose(vectors(shown[name]), flat(loss.gradient(z, LABELS), z.numpy()), atol=1e-9)
    assert shown["angular"].layout.meta["scale"] == shown["triplet"].layout.meta["scale"]
    opened(**roles(LESSON_ROLES), dim=dim, form="hinge")
    # The gradients of the two hinges as they are printed.
    a, p, n = z.numpy()
    angular = (2 * (a - p) - 2 * (a + p - 2 * n), 2 * (p - a) - 2 * (a + p - 2 * n), 4 * (a + p - 2 * n))
    triplet = (2 * (n - p), 2 * (p - a), 2 * (a - n))
    for name, gradient in (("angular", angular), ("triplet", triplet)):
        np.testing.assert_allclose(vectors(shown[name]), flat(gradient, z.numpy()), atol=1e-9)


def test_contours_are_the_losses_with_the_negative_moved_there(shown: Shown) -> None:
    opened(**roles(LESSON_ROLES), form="hinge", alpha=36, margin=0.5)
    a, p, _ = corners(shown["angular"])
    t = math.tan(math.radians(36)) ** 2
    for name in ("angular", "triplet"):
        fig = shown[name]
        drawn = trace(fig, "loss")
        x, y = np.meshgrid(drawn.x, drawn.y)
        if name == "angular":
            expected = np.sum((a - p) ** 2) - 4 * t * (x**2 + y**2)
        else:
            expected = np.sum((a - p) ** 2) - (x - a[0]) ** 2 - (y - a[1]) ** 2 + 0.5
        np.testing.assert_allclose(drawn.z, np.maximum(expected, 0), atol=1e-5)
        # The dotted line is where it ends.
        edge = trace(fig, "bound")
        around = np.zeros(2) if name == "angular" else a
        reach = np.hypot(edge.x - around[0], edge.y - around[1])
        np.testing.assert_allclose(drawn.z[np.hypot(x - around[0], y - around[1]) > reach.max()], 0)


@pytest.mark.parametrize("form", ["hinge", "logistic"])
def test_curves_round_the_sphere_are_the_losses_of_moved_rows(shown: Shown, form: str) -> None:
    opened(**roles(LESSON_ROLES), form=form, orders="both")
    rows = preset("overlapping").subject().z.numpy()[list(LESSON_ROLES)]
    fig, losses = shown["circle"], {"angular": Angular(form=form), "triplet": Triplet(mining="all")}
    middle = 96  # degrees: between 60 and 132
    for name, loss in losses.items():
        drawn = trace(fig, name)
        for degrees, value in list(zip(drawn.x, drawn.y, strict=True))[::20]:
            # The positive, at 60 degrees, is on the side that counts as positive.
            angle = math.radians(middle - degrees)
            z = torch.from_numpy(np.array((*rows[:2], (math.cos(angle), math.sin(angle)))))
            assert value == pytest.approx(float(loss.by_hand(z, LABELS)), abs=1e-9)
        now = trace(fig, f"{name} now")
        assert now.x[0] == pytest.approx(-8)
        assert now.y[0] == pytest.approx(float(loss.by_hand(torch.from_numpy(rows), LABELS)))


def test_scale_moves_the_triplet_s_margin_and_not_the_angle(shown: Shown) -> None:
    # The negative is a little farther than the positive: the margin is much for a small triangle, little for a large one.
    opened(anchor=0, positive=4, negative=7, scale=4, turn=90)
    fig = shown["against_scale"]
    angles, slacks, violations = (trace(fig, name).y for name in ("n′", "triplet", "angular"))
    np.testing.assert_allclose(angles, angles[0])
    assert slacks[0] > 0 > slacks[-1]
    assert len(set(np.sign(violations))) == 1
    rows = preset("overlapping").subject().z.numpy()[[0, 4, 7]]
    raw = torch.from_numpy(4 * rows)
    now = {name: trace(fig, f"{name} now").y[0] for name in ("angular", "triplet")}
    assert max(now["angular"], 0) == pytest.approx(float(Angular(form="hinge").by_hand(raw, LABELS)), abs=1e-9)
    assert now["triplet"] == pytest.approx(float((raw[0] - raw[1]).square().sum() - (raw[0] - raw[2]).square().sum()) + 0.2)
    moved = corners(shown["scaled"])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert math.dist(moved[i], moved[j]) == pytest.approx(4 * math.dist(rows[i], rows[j]))


@pytest.mark.parametrize("alpha", [25, 40, 60])
def test_histogram_and_active_share_of_a_scene_are_right_by_brute_force(shown: Shown, alpha: int) -> None:
    opened(scene="one+hard+negative".replace("+", " "), alpha=alpha)
    subject = preset("one hard negative").subject()
    z, y = subject.z.numpy(), subject.y.tolist()
    angles = [
        math.degrees(math.atan2(math.dist(z[a], z[p]) / 2, math.dist(z[n], (z[a] + z[p]) / 2)))
        for a in range(len(y))
        for p in range(a)
        for n in range(len(y))
        if y[a] == y[p] != y[n]
    ]
    up, above = (trace(shown["angles"], f"n′ {name} α") for name in ("up to", "above"))
    assert above.customdata.sum() == sum(angle > alpha for angle in angles)
    assert up.customdata.sum() + above.customdata.sum() == len(angles)
    np.testing.assert_array_equal(up.customdata + above.customdata, np.histogram(angles, np.arange(91))[0])
    share = sum(angle > alpha for angle in angles) / len(angles)
    assert f"{share:.2%}" in shown["angles"].layout.annotations[0].text
    mine = shown["dimensions"].data[0]
    assert np.interp(alpha, mine.x, mine.y) == pytest.approx(share)


def test_forms_are_drawn_at_the_constant_and_at_the_triangle(shown: Shown) -> None:
    opened(**roles(LESSON_ROLES), alpha=45)
    fig = shown["forms"]
    for name, half in (("logistic, constant kept", 0.0), ("logistic, dropped", -4.0)):
        slope = trace(fig, f"{name}, slope")
        assert np.interp(half, slope.x, slope.y) == pytest.approx(0.5, abs=1e-3)
    hinge = trace(fig, "hinge, slope")
    assert set(hinge.y[hinge.x > 0]) == {1.0}
    assert set(hinge.y[hinge.x <= 0]) == {0.0}
    model = Model(preset("overlapping").subject(), Settings(Angular(), Triplet(mining="all"), roles=LESSON_ROLES))
    assert model.violation in [shape.x0 for shape in fig.layout.shapes]
    assert trace(fig, "triangles").customdata.sum() == model.batch.triangles
    assert ", ".join(f"{pushed:.0%}" for pushed in model.push_share_by_form) in fig.layout.annotations[1].text


SAID = {
    "Straight above": ["n′ = 75.0°", "along the sphere it is 0", "by 1.46 each"],
    "Opposite pair": ["n′ = 45.0° wherever", "the loss is 1.889", "along the sphere is 0."],
    "Hinge off": ["0 of 144 triangles", "the hinge is 0", "0.7% of its full push"],
    "Collapse": ["12 points are one point", "angular hinge is 0", "its margin, 0.2", "= 4.02 on one triplet"],
    "Constant kept": ["= −4 is kept", "57% of its full push", "86% without"],
    "Triplet done, angular not": ["costs 0:", "0.140 from", "n′ = 40.0°", "0.346, pushes"],
    "Strict but weak": ["25% of the triangles", "= 1.74 times", "45° has 8"],
}


@pytest.mark.parametrize("label", [preset.label for preset in PRESETS if preset.says and preset is not LESSON])
def test_a_preset_takes_one_click_and_explains_what_happened(shown: Shown, label: str) -> None:
    app = opened(scene="antipodal", form="N-pair", alpha=33, margin=0.9)
    app.button(key=f"break.{label}").click()
    ran(app)
    [note] = app.info
    for number in SAID[label]:
        assert number in note.value
    assert set(shown) == NAMES
    app.session_state["angular.alpha"] = 52.0
    ran(app)
    assert app.info[0].value == f"Before your changes. {note.value}"


def test_a_class_of_one_has_no_triangle_and_the_page_says_so(shown: Shown) -> None:
    app = unfold(opened())
    app.button(key="break.A class of one").click()
    shown.clear()
    ran(app)
    assert [note.value for note in app.info] == [ANCHOR_ALONE]
    assert not shown
    assert "| Claim |" in words(app)
    assert "no triplet and no gradient" in words(opened(scene="all strangers"))
    assert [note.value for note in opened(at="a10_20_30_40").info] == [ONE_CLASS]


def test_one_click_shows_that_only_the_angular_loss_pushes_along_the_middle(shown: Shown) -> None:
    app = unfold(opened(scene="antipodal"))
    app.button(key="see").click()
    ran(app)
    [note] = app.info
    assert "(cosine 1.000)" in note.value
    a, _, n = corners(shown["angular"])
    away = {"angular": n, "triplet": n - a}
    for name, direction in away.items():
        push = vectors(shown[name])[2]
        assert push @ direction == pytest.approx(np.linalg.norm(push) * np.linalg.norm(direction))
    assert vectors(shown["angular"])[2] @ vectors(shown["triplet"])[2] < 0
    # Its link alone brings it back.
    link = {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}
    assert [element.value for element in page_opened(PAGE, link).info] == [note.value]


def test_common_claims_are_checked_on_this_triangle(shown: Shown) -> None:
    table = words(opened(**roles(LESSON_ROLES), form="hinge"))
    for pitfall in about(("angular",)):
        assert f"| **{pitfall.title}.** {pitfall.claim} | {pitfall.answer}" in table
    assert "the constant is −4.00 at 45°" in table
    assert "α = 45° would act at 63.4°; n′ is 68.8°, the formula active, the code active" in table
    assert "at 2 times the size n′ stays 68.8°" in table
    assert table.count("**On these points**") == 4


def test_a_scene_placed_by_hand_comes_by_its_link(shown: Shown) -> None:
    written = Scene(2, ((10,), (70,), (40,)), (0, 0, 1)).write()
    app = opened(at=written, **roles((0, 1, 2)))
    assert "placed by hand" in words(app)
    assert math.hypot(*corners(shown["triangle"])[2]) == pytest.approx(1 - math.cos(math.radians(30)))


def test_the_worst_triangle_of_an_anchor_breaks_the_bound_most(shown: Shown) -> None:
    app = opened(anchor=2, positive=0, negative=12, form="hinge")
    app.button(key="angular.shortcut").click()
    ran(app)
    subject = preset("overlapping").subject()
    best = max(
        (Model(subject, Settings(Angular(), Triplet(), roles=(2, p, n))).violation, p, n)
        for p in range(13)
        for n in range(13)
        if p != 2 and subject.y[p] == 0 != subject.y[n]
    )
    assert worst_triangle_of_anchor(Model(subject, Settings(Angular(), Triplet(), roles=(2, 0, 12)))) == (2, *best[1:])
    assert [app.session_state[f"angular.{role}"] for role in ("anchor", "positive", "negative")] == [2, *best[1:]]


@pytest.mark.parametrize("dim", [3, 64])
def test_a_step_of_a_run_is_shown_in_any_dimension(shown: Shown, monkeypatch: pytest.MonkeyPatch, dim: int) -> None:
    chooser = points_of_run(dim)
    monkeypatch.setattr(subject_picker, "choose_subject", chooser)
    app = opened(anchor=7, positive=17, negative=499, arrows="tangent", orders="both")
    assert set(shown) == OF_A_RUN
    assert rf"500 points in {dim} dimensions; anchor \#7 (7), positive \#17 (7), negative \#499 (9)" in words(app)
    z = chooser().subject().z[[7, 17, 499]]
    drawn = corners(shown["triangle"])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert math.dist(drawn[i], drawn[j]) == pytest.approx(math.dist(z[i].tolist(), z[j].tolist()))
    gradient = Angular().gradient(z, LABELS)
    np.testing.assert_allclose(vectors(shown["angular"]), flat(gradient, z.numpy()), atol=1e-9)
    share = float((flat(gradient, z.numpy()) ** 2).sum() / gradient.square().sum())
    assert (f"the plane shows {share:.0%}" in shown["angular"].layout.annotations[-1].text) == (share < 0.9995)


def test_points_of_a_run_are_picked_for_the_part_that_a_click_gives(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", points_of_run(3, 60))
    app = opened(anchor=0, positive=0, negative=0)
    assert r"anchor \#0 (0), positive \#10 (0), negative \#1 (1)" in words(app)
    app.session_state["angular.negative"] = 25
    ran(app)
    assert r"negative \#25 (5)" in words(app)
    fig = shown["points"]
    assert trace(fig, "x<sub>n</sub>").customdata[0] == 25
    others = np.concatenate([trace(fig, name).customdata for name in ("of the anchor's class", "of others")])
    assert sorted([*others, 0, 10, 25]) == list(range(60))


def test_a_view_of_few_points_is_computed_once_for_all(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(scene="overlapping", alpha=44)
    assert set(shown) == NAMES
    monkeypatch.setattr(Model, "batch", property(lambda _: pytest.fail("computed again")))
    ran(app)
    assert set(shown) == NAMES
    assert len(preset("overlapping").points) <= FEW < 500


def legend(fig: go.Figure) -> list[str]:
    """The lines of the legend, as plain words."""
    return [re.sub("<[^>]*>", "", line) for line in fig.layout.annotations[-1].text.split("<br>")]


def names_of(fig: go.Figure) -> list[str]:
    """The labels beside places, as plain words."""
    return [re.sub("<[^>]*>", "", note.text) for note in fig.layout.annotations if note.xshift is not None]


def test_at_45_degrees_the_two_circles_are_one_and_the_legend_says_so(shown: Shown) -> None:
    opened(**roles(LESSON_ROLES))
    fig = shown["triangle"]
    order = [drawn.name for drawn in fig.data]
    own, bound = trace(fig, "circle"), trace(fig, "n′ above α")
    np.testing.assert_allclose((own.x, own.y), (bound.x, bound.y), atol=1e-12)
    # The dots lie above the line, and it shows between them.
    assert order.index("n′ above α") > order.index("circle")
    assert bound.line.dash == "dot"
    assert bound.line.width > 2 * own.line.width
    assert "n′ = α, here also the circle on xaxp" in legend(fig)[1]
    opened(**roles(LESSON_ROLES), alpha=36)
    assert "here also" not in legend(shown["triangle"])[1]
    assert "circle on xaxp" in legend(shown["triangle"])[1]


WIDEST_LINE = 58  # letters that 340 px hold, the narrowest that a figure gets


@pytest.mark.parametrize("arrows", ["chords", "tangent"])
@pytest.mark.parametrize("orders", ["one", "both"])
@pytest.mark.parametrize("squared", [True, False])
def test_no_line_of_a_legend_is_too_long_for_the_narrowest_figure(shown: Shown, arrows: str, orders: str, squared: bool) -> None:
    opened(scene="overlapping", dim=3, arrows=arrows, orders=orders, squared=squared, alpha=25, form="hinge")
    for name in ("triangle", "angular", "triplet"):
        assert max(map(len, legend(shown[name]))) <= WIDEST_LINE


FROM = {
    ("one", True): ((4, 0, 5), "from xa", "line xaxn", "the triplet loss from the anchor"),
    ("both", True): ((4, 0, 5), "from xc", "line xcxn", "the triplet loss from the middle too"),
    ("both", False): ((4, 0, 5), "along the bisector", "bisector at xn", "the triplet loss along the bisector"),
}


@pytest.mark.parametrize(("orders", "squared"), FROM)
def test_words_name_the_source_of_the_triplet_s_push_after_the_setting(shown: Shown, orders: str, squared: bool) -> None:
    points, way, line, claim = FROM[orders, squared]
    app = opened(**roles(points), orders=orders, squared=squared, form="hinge", margin=1.0)
    assert legend(shown["triangle"])[2] == "➤ Angular loss on xn: from xc"
    assert legend(shown["triangle"])[3].endswith(f"on xn: {way}")
    assert line in legend(shown["triplet"])[1]
    assert claim in " ".join(str(head.value) for head in app.subheader)
    # The line that is drawn is the one along which the arrow goes.
    drawn = trace(shown["triplet"], "line of the push")
    along = np.array((drawn.x[1] - drawn.x[0], drawn.y[1] - drawn.y[0]))
    push = vectors(shown["triplet"])[2]
    assert push @ along == pytest.approx(np.linalg.norm(push) * np.linalg.norm(along))


def test_one_active_order_of_two_pushes_from_its_own_anchor() -> None:
    subject, angular = preset("overlapping").subject(), Angular()
    triplet = Triplet(mining="all", margin=0.05)
    sources = {
        (both, a, n): Model(subject, Settings(angular, triplet, both, (a, 4 - a, n))).triplet_pushes_from
        for both in (False, True)
        for a in (0, 4)
        for n in range(len(subject.y))
        if subject.y[n] != subject.y[0]
    }
    assert {None, "anchor", "positive", "middle"} == {found for (both, *_), found in sources.items() if both}
    assert {None, "anchor"} == {found for (both, *_), found in sources.items() if not both}


def test_a_single_point_has_no_angle_and_every_word_says_so(shown: Shown) -> None:
    app = opened(scene="collapsed", form="hinge", **roles((0, 1, 4)))
    assert r"\frac{0.000}{2\cdot0.000}\;\text{is undefined;}" in words(app)
    assert r"0\le0\text{, and no gradient is left}" in words(app)
    assert "n′ is undefined, the formula satisfied" in words(app)
    assert "n′ stays undefined" in words(app)
    assert "Here n′ is undefined" in words(app)
    for name in ("triangle", "scaled", "against_scale", "angles"):
        assert "undefined" in shown[name].layout.meta["alt"]
    assert not any("0.0°" in str(fig.layout) for fig in shown.values())
    assert legend(shown["triangle"])[0].endswith("n′ is undefined: the three are one point")
    assert [line.split(": ")[1] for line in legend(shown["triangle"])[2:]] == ["no push", "no push"]
    assert "144 are one point: n′ undefined" in shown["angles"].layout.annotations[-1].text
    # All of the sphere is in sight, and the names of one place are grouped.
    fig = shown["triangle"]
    sphere, (low, high) = trace(fig, "the sphere"), fig.layout.xaxis.range
    assert low < sphere.x.min() < sphere.x.max() < high
    assert names_of(fig) == ["xa, xp, xn, xc, xm"]


def test_names_of_coinciding_places_are_grouped_and_no_two_overlap(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    # An isosceles triangle: x_m is at an end of the pair.
    opened(at=Scene(2, ((60,), (120,), (270,)), (0, 0, 1)).write(), **roles((0, 1, 2)))
    together = names_of(shown["triangle"])
    assert sorted(", ".join(together).split(", ")) == ["xa", "xc", "xm", "xn", "xp"]
    assert any("xm" in name and len(name) > 2 for name in together)
    monkeypatch.setattr(subject_picker, "choose_subject", points_of_run(3))
    opened()
    fig = shown["points"]
    assert sorted(", ".join(names_of(fig)).split(", ")) == ["xa", "xn", "xp"]
    for note in fig.layout.annotations[:3]:
        # Beside its mark, also where that is in the middle, and on paper.
        assert math.hypot(note.xshift, note.yshift) > 15
        assert note.bgcolor


def test_words_are_lighter_than_the_palette_on_dark_paper() -> None:
    assert colour_of_words(POSITIVE, "light") == POSITIVE
    light, dark = (sum(bytes.fromhex(colour[1:])) for colour in (colour_of_words(POSITIVE, "dark"), POSITIVE))
    assert light > 1.5 * dark
