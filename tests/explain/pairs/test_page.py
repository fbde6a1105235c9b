"""The page of pairs says what it computes: every loss, every scene, every way to break it, every figure read back."""

import itertools
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.analysis import response_to
from dml_viz.analysis.around_triplet import Model, TripletChoice, informative_pair
from dml_viz.analysis.triplet_plane import cut, plane
from dml_viz.analysis.triplets import (
    compared_distances,
    count_pairs_and_triplets,
    counts_by_batch_size,
    counts_of_balanced_batches,
    tally_of_batch,
)
from dml_viz.app import subject_picker
from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.explain.pairs.model import PAIRWISE
from dml_viz.explain.pairs.presets import NO_GRADIENT, PRESETS
from dml_viz.losses import Loss
from dml_viz.losses.circle import Circle
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.snr import SNR
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params
from tests.samples import for_each, sample
from tests.shown import Shown, points_of_run, ran, words
from tests.shown import opened as page_opened

pytestmark = pytest.mark.usefixtures("coarse")
PAGE = "22_pairs.py"
PREFIX = "pairs-"
ONE = {f"{name}-0" for name in ("edges", "weights", "plane", "cut", "shares", "growth")}
NAMES = {*ONE, "planes", "cost", "similarities"}
ROLE_NAMES = ("anchor", "positive", "negative")
ROLES = {"pairs.anchor": "3", "pairs.positive": "4", "pairs.negative": "7"}


def opened(**link: str) -> AppTest:
    return page_opened(PAGE, {name.replace("__", "."): value for name, value in link.items()})


def clicked(app: AppTest, label: str) -> AppTest:
    app.button(key="see" if label == NO_GRADIENT.label else f"break.{label}").click()
    return ran(app)


def test_page_opens_with_every_figure_drawn(shown: Shown) -> None:
    app = opened()
    assert set(shown) == NAMES
    assert dict(app.query_params) == {}


BESIDE = [*itertools.zip_longest(*[iter(PAIRWISE)] * 2, fillvalue="contrastive")]


@pytest.mark.parametrize("names", sample(BESIDE, 5), ids=" and ".join)
def test_every_loss_is_shown_beside_another_with_knobs_at_their_ends(shown: Shown, names: tuple[str, str]) -> None:
    knobs = {
        f"loss.{name}.{knob.name}": str(knob.ends[end])
        for name, end in zip(names, (0, -1), strict=True)
        for knob in params(PAIRWISE[name])
    }
    app = opened(**dict(zip(("pairs__loss", "pairs__second"), names, strict=True)), **knobs)
    assert not app.warning
    assert set(shown) == NAMES | {key.replace("-0", "-1") for key in NAMES}
    assert "nan" not in words(app).lower()
    assert all(PAIRWISE[name].title in words(app) for name in names)


# Every number of every loss on every scene is computed below.
IN_TURN = itertools.cycle((("triplet", "2"), ("circle", "3"), ("n_pair", "2")))


@pytest.mark.parametrize(("name", "turn"), list(zip(SCENES, IN_TURN, strict=False)))
def test_every_scene_is_shown(shown: Shown, name: str, turn: tuple[str, str]) -> None:
    app = opened(pairs__scene=name, pairs__loss=turn[0], pairs__dim=turn[1], pairs__edges="anchor")
    assert set(shown) == NAMES
    assert "nan" not in words(app).lower()


@pytest.mark.parametrize("name", PAIRWISE)
def test_edges_are_the_weights_of_the_loss(shown: Shown, name: str) -> None:
    opened(pairs__loss=name, pairs__scene="two modes in one class")
    subject = preset("two modes in one class").subject()
    found, meta = response_to(subject, PAIRWISE[name]()), shown["edges-0"].layout.meta
    active = np.flatnonzero(found.is_active)
    assert {tuple(pair) for pair in meta["ends"]} == {tuple(pair) for pair in found.pair_indices[active].tolist()}
    table = found.pair_weight_matrix
    for (i, j), weight in zip(meta["ends"], meta["weight"], strict=True):
        assert weight == pytest.approx(table[i, j])
    drawn = 0
    for line in (trace for trace in shown["edges-0"].data if "tenths" in (trace.name or "")):
        for segment in np.stack((line.x, line.y), 1).reshape(-1, 3, 2)[:, :2]:
            i, j = (int(np.abs(subject.z.numpy() - end).sum(1).argmin()) for end in segment)
            positive = bool(subject.y[i] == subject.y[j])
            assert line.name.startswith("positive" if positive else "negative")
            assert line.line.width == pytest.approx(0.7 * np.ceil(10 * abs(table[i, j]) / found.largest_weight - 1e-9))
            assert line.line.dash == ("dash" if (table[i, j] > 0) == positive else "solid")
            drawn += 1
    assert drawn == len(active)


def test_arrows_at_the_points_are_the_losses_descent(shown: Shown) -> None:
    opened(pairs__loss="multi_similarity")
    subject = preset("overlapping").subject()
    arrows = shown.trace("edges-0", "arrows")
    scale = shown["edges-0"].layout.meta["scale"]
    gradient = MultiSimilarity().gradient(subject.z, subject.y).numpy()
    np.testing.assert_allclose(np.stack((arrows.u, arrows.v), 1) / scale, -gradient[arrows.customdata], atol=1e-9)


def test_the_anchors_edges_are_those_with_the_anchor(shown: Shown) -> None:
    opened(pairs__loss="multi_similarity", pairs__edges="anchor", pairs__anchor="6")
    assert all(6 in pair for pair in shown["edges-0"].layout.meta["ends"])


def marks_are_weights_against_similarities(shown: Shown, name: str) -> None:
    found = response_to(preset("overlapping").subject(), PAIRWISE[name]())
    for kind, positive in (("positive", True), ("negative", False)):
        marks = shown.trace("weights-0", f"{kind} pairs")
        np.testing.assert_allclose(marks.x, found.pair_similarities[found.is_positive == positive])
        np.testing.assert_allclose(marks.y, found.pair_weights[found.is_positive == positive])


@pytest.mark.parametrize("name", PAIRWISE)
def test_weights_and_the_plane_are_drawn_as_they_were_computed(shown: Shown, name: str) -> None:
    opened(pairs__loss=name)
    marks_are_weights_against_similarities(shown, name)
    loss = PAIRWISE[name]()
    the_plane_shows_the_gradients_of_its_batch(loss)
    found, fig = plane(loss), shown["plane-0"]
    contour, arrows = shown.trace("plane-0", "loss"), shown.trace("plane-0", "descent")
    known = ~np.isnan(found.value)
    np.testing.assert_array_equal(np.array(contour.text)[known], np.char.mod("L = %.3g", found.value[known]))
    np.testing.assert_array_equal(np.array(contour.z)[known], found.value[known])
    assert set(np.array(contour.text)[~known]) <= {"no unit vectors have these similarities"}
    meta = fig.layout.meta
    lines = fig.layout.annotations[0].text.split("<br>")
    assert max(len(re.sub("<.*?>|&nbsp;", "", line)) for line in lines) <= 65, "longer ones are too small on a phone"
    tails, tips = np.stack((arrows.x, arrows.y), 1).reshape(-1, 3, 2)[:, :2].transpose(1, 0, 2)
    assert len(tails)
    arrows = np.stack(((tails + tips) / 2, tips - tails, tails, tips), 1)
    for (x, y), (u, v), *ends in arrows[::3]:
        gradients = found.batch.gradients(x, y)
        assert all(found.batch.gradients(*end).has_gradient for end in ends if np.abs(end).max() <= 1)
        wanted = -np.array([gradients.positive, gradients.negative])
        length = np.hypot(*wanted)
        np.testing.assert_allclose((u, v), wanted * min(meta["scale"], meta["longest"] / length), atol=1e-9)
    for boundary in ("still", "even", "half"):
        segments = getattr(found, boundary)
        if len(segments):
            line = shown.trace("plane-0", boundary)
            drawn = np.stack((line.x, line.y), 1)
            ends = segments.reshape(-1, 1, 2)
            assert (np.abs(ends - drawn[~np.isnan(drawn[:, 0])]).max(2).min(1) < 0.005).all()
            assert np.isnan(drawn[:, 0]).sum() <= max(1, len(segments) / 4), "dashes begin anew with each line"


def the_plane_shows_the_gradients_of_its_batch(loss: Loss) -> None:
    found = plane(loss)
    last = len(found.s) - 1
    for row, column in ((0, 0), (2, 8), (6, last - 1), (last - 1, 6), (last, last)):
        gradients = found.batch.gradients(float(found.s[column]), float(found.s[row]))
        here = [table[row, column] for table in (found.value, found.of_positive, found.of_negative)]
        np.testing.assert_array_equal(here, gradients)
    # Of SNR-contrastive, whose negatives move in a narrow band alone, the coarser grid has no boundary.
    assert len(found.still) or len(found.even) or len(found.half) or isinstance(loss, SNR)


@pytest.mark.parametrize("mining", ["all", "semi-hard", "batch-hard"])
def test_dots_are_the_anchors_triplets_and_filled_ones_those_left(shown: Shown, mining: str) -> None:
    opened(**{"loss.triplet.mining": mining, **ROLES})
    subject, loss = preset("overlapping").subject(), Triplet(mining=mining)
    d, y, s = compared_distances(loss, subject), subject.y.tolist(), (subject.z @ subject.z.T).numpy()
    positives = [p for p in range(13) if y[p] == y[3] and p != 3]
    negatives = [n for n in range(13) if y[n] != y[3]]
    mined = list(itertools.product(positives, negatives))
    if mining == "semi-hard":
        mined = [(p, n) for p, n in mined if d[3, p] < d[3, n]]
    if mining == "batch-hard":
        mined = [(max(positives, key=d[3].__getitem__), min(negatives, key=d[3].__getitem__))]
    active = {(p, n) for p, n in mined if d[3, p] - d[3, n] + loss.margin > 0}
    filled = shown.trace("plane-0", "triplets with a gradient")
    others = shown.trace("plane-0", "triplets without a gradient")
    assert len(filled.x) == len(active)
    assert len(filled.x) + len(others.x) == len(positives) * len(negatives)
    wanted = sorted((round(s[3, p], 9), round(s[3, n], 9)) for p, n in active)
    assert sorted(zip(np.round(filled.x, 9), np.round(filled.y, 9), strict=True)) == wanted
    now = shown.trace("plane-0", "this triplet")
    assert (now.x[0], now.y[0]) == pytest.approx((s[3, 4], s[3, 7]))


def test_the_cut_is_the_value_and_the_gradient_in_use(shown: Shown) -> None:
    opened(**{"pairs.loss": "circle", "loss.circle.margin": "0.25", **ROLES})
    subject = preset("overlapping").subject()
    loss, s_p = Circle(margin=0.25), round(float(subject.z[3] @ subject.z[4]), 3)
    found = cut(loss, s_p)
    for name, curve in (("value", found.value), ("slope", found.slope), ("used", found.used)):
        np.testing.assert_allclose(shown.trace("cut-0", name).y, curve)
    shades = shown["cut-0"].layout.shapes
    rising = found.s_n[found.step_raises_value]
    assert {(shade.x0, shade.x1) for shade in shades} == ({(rising.min(), rising.max())} if len(rising) else set())


@pytest.mark.parametrize("name", ["triplet", "multi_similarity"])
def test_counts_are_drawn_as_counted(shown: Shown, name: str) -> None:
    app = opened(pairs__loss=name, pairs__scene="one hard negative")
    loss, subject = PAIRWISE[name](), preset("one hard negative").subject()
    counts = counts_by_batch_size(loss, subject)
    np.testing.assert_array_equal(shown.trace("growth-0", "all pairs").x, [found.n for found in counts])
    for marks, counted in (("all pairs", "pairs"), ("all triplets", "triplets"), ("pairs with a gradient", "active_pairs")):
        numbers = np.array([getattr(found, counted) for found in counts], float)
        np.testing.assert_array_equal(shown.trace("growth-0", marks).y, np.where(numbers > 0, numbers, np.nan))
    line = shown.trace("growth-0", "triplets of n points")
    _, many = counts_of_balanced_batches(np.array(line.x), 3)
    np.testing.assert_allclose(np.nan_to_num(line.y), many)
    share = shown.trace("shares-0", "with a gradient").x
    found = response_to(subject, loss)
    assert share[0] == pytest.approx(np.divide(*found.active_pairs_of_kind(True)))
    assert share[1] == pytest.approx(np.divide(*found.active_pairs_of_kind(False)))
    if name == "triplet":
        left = [tally_of_batch(Triplet(mining=mining), subject) for mining in ("all", "semi-hard", "batch-hard")]
        np.testing.assert_allclose(share[2:], [found.active / found.all for found in left])
    whole = count_pairs_and_triplets(loss, subject)
    assert (
        f"gradient to {whole.active_pairs} of {whole.pairs} pairs and {whole.active_triplets} of {whole.triplets} triplets"
        in words(app)
    )


def test_a_point_of_the_link_moves_every_figure(shown: Shown) -> None:
    moved = Scene(2, ((90.0,), (100.0,), (80.25,)), (0, 0, 1))
    opened(pairs__at=moved.write(), pairs__loss="multi_similarity")
    found = response_to(moved.subject(), MultiSimilarity())
    assert shown["edges-0"].layout.meta["weight"] == pytest.approx(
        sorted(found.pair_weights[found.is_active], key=lambda w: -abs(w))
    )


SAID = {
    "Where a triplet stops giving gradient": ["d² = 0.268, the positive at 0.030", "sₙ = sₚ − m/2 = 0.885, 27.8°", "30.0° away"],
    "Semi-hard skips the worst": ["In 46 of 216 triplets", "keeps 6,", "sₙ = 0.990 > sₚ = 0.970", "Batch-hard keeps 11"],
    "Collapse": ["All 12 points are one point", "the loss is 0.200", "longest arrow is 0"],
    "Mean of survivors": ["52 of 216 triplets", "4.2 times as much"],
    "Downhill the value rises": ["sₙ = −0.20 to both", "loss is 0.153", "less: 0.0067", "weight of +0.284", "together, +0.57"],
    "Points left out": ["6 of 13 points", "9 of 78 pairs", "The other 7 points"],
    "Never done": ["loss is 2.63", "66 of 66 pairs"],
    "One number": ["130° apart", "SNR distance is 0.000"],
    "A class of one": ["alone in its class", "8 of its 8 pairs have a weight"],
}


@pytest.mark.parametrize("label", [preset.label for preset in PRESETS])
def test_one_click_on_a_preset_explains_what_happened(shown: Shown, label: str) -> None:
    app = clicked(opened(pairs__scene="antipodal", pairs__second="circle"), label)
    [note] = app.info
    assert not re.search(r"\s-\d", note.value), "a true minus"
    for number in SAID[label]:
        assert number in note.value
    assert set(shown) >= NAMES
    assert "nan" not in words(app).lower()
    again = opened(**{name.replace(".", "__"): value for name, value in app.query_params.items()})
    assert again.info[0].value == note.value  # its link shows the same
    app.session_state["pairs.loss"] = "margin"
    assert ran(app).info[0].value == f"Before your changes. {note.value}"


def test_where_a_triplet_stops_giving_gradient_nothing_moves_and_nearer_it_does(shown: Shown) -> None:
    clicked(opened(), NO_GRADIENT.label)
    assert shown["edges-0"].layout.meta["weight"] == []
    assert not len(shown.trace("edges-0", "arrows").x)
    now = shown.trace("plane-0", "this triplet")
    assert now.y[0] < now.x[0] - 0.1
    opened(pairs__at="a90_100b63", pairs__loss="triplet", **{"loss.triplet.mining": "all"})
    assert len(shown.trace("edges-0", "arrows").x) == 3


def test_a_cut_where_the_plane_is_blank_is_made_elsewhere_and_says_so(shown: Shown) -> None:
    opened(pairs__loss="n_pair", pairs__scene="an outlier")
    assert np.isfinite(shown.trace("cut-0", "value").y).any()
    assert "0.750, not at a triplet" in shown["cut-0"].layout.annotations[0].text
    assert not [trace for trace in shown["cut-0"].data if trace.name == "this triplet"]


def test_common_claims_are_checked_of_the_losses_on_show(shown: Shown) -> None:
    assert "The gradient does not stop in the groove" in words(opened(pairs__loss="circle"))
    assert "without the square" in words(opened(pairs__loss="circle", pairs__second="lifted"))
    assert "without the square" in words(opened(pairs__loss="nca")), "it has none, so those of all losses of pairs"


@pytest.mark.parametrize("link", [{"pairs.loss": "proxy_nca"}, {"pairs.anchor": "99"}, {"pairs.at": "zzz"}], ids=str)
def test_a_link_to_impossible_settings_gets_a_sentence(shown: Shown, link: dict[str, str]) -> None:
    app = opened(**link)
    assert app.warning
    assert set(shown) == NAMES


@pytest.mark.parametrize("dim", [3, 64])
def test_a_step_of_a_run_is_shown_in_any_dimension(shown: Shown, monkeypatch: pytest.MonkeyPatch, dim: int) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", points_of_run(dim, 250))
    app = opened(pairs__row="249", pairs__second="supcon" if "supcon" in PAIRWISE else "sup_con")
    assert {name for name in shown if name.endswith("0")} == ONE
    assert "250 points" in words(app)
    assert r"the anchor is \#249 (9)" in words(app)
    subject = points_of_run(dim, 250)().subject()
    found, fig = response_to(subject, Triplet()), shown["edges-0"]
    own = found.is_active & (found.pair_indices == 249).any(1)
    assert {tuple(pair) for pair in fig.layout.meta["ends"]} == {tuple(pair) for pair in found.pair_indices[own].tolist()}
    assert "the anchor's positive pairs with a gradient" in fig.layout.annotations[0].text
    assert "pairs.edges" not in app.query_params
    app = opened(pairs__row="249", pairs__edges="batch")
    assert app.query_params["pairs.edges"] == "batch"
    fig = shown["edges-0"]
    assert len(fig.layout.meta["ends"]) == 300
    assert max(trace.line.width for trace in fig.data if "tenths" in (trace.name or "")) < 4
    assert np.abs(fig.layout.meta["weight"]).min() >= np.sort(np.abs(found.pair_weights))[-len(fig.layout.meta["weight"])] - 1e-12
    active, every = found.active_pairs_of_kind(True)
    assert f"{active:,} of {every:,} positive pairs have a weight" in shown["weights-0"].layout.annotations[0].text


def test_a_view_of_few_points_is_computed_once_for_all(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(pairs__loss="contrastive", **{"loss.contrastive.margin": "0.85"})
    assert set(shown) == NAMES
    monkeypatch.setattr(Model, "descent", property(lambda _: pytest.fail("computed again")))
    ran(app)
    assert set(shown) == NAMES


@for_each("loss", [kind() for kind in PAIRWISE.values()], ids=list(PAIRWISE))
@for_each("name", SCENES)
def test_the_page_survives_every_scene_and_an_anchor_without_a_triplet(loss: Loss, name: str) -> None:
    """Every number of the model can be computed on every scene, for any anchor."""
    subject = preset(name).subject()
    for anchor in (0, len(subject.y) - 1):
        model = Model(subject, TripletChoice(loss, anchor))
        assert np.isnan(model.s_p)
        assert model.triplets.active.shape == (len(model.triplets.positives), len(model.triplets.negatives))
        assert np.isfinite(model.descent).all()


@pytest.mark.parametrize("loss", ["triplet", "contrastive", "multi_similarity"])
def test_the_triplet_shown_of_a_run_has_a_gradient(shown: Shown, monkeypatch: pytest.MonkeyPatch, loss: str) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", points_of_run(3, 250))
    app = opened(pairs__loss=loss)
    now, filled = shown.trace("plane-0", "this triplet"), shown.trace("plane-0", "triplets with a gradient")
    subject = points_of_run(3, 250)().subject()
    positive, negative = informative_pair(subject, PAIRWISE[loss](), 0)
    model = Model(subject, TripletChoice(PAIRWISE[loss](), 0, positive, negative))
    assert model.triplets.with_gradient[model.triplets.positives == positive, model.triplets.negatives == negative].all()
    assert (now.x[0], now.y[0]) == pytest.approx((model.s_p, model.s_n))
    assert len(filled.x)
    assert "left out by" not in words(app)
    rings = {trace.name: trace.text for trace in shown["edges-0"].data if trace.name in ROLE_NAMES}
    assert rings == {role: (role,) for role in ROLE_NAMES}


def test_a_triplet_that_mining_leaves_out_is_labelled_so() -> None:
    mining = {"loss.triplet.mining": "semi-hard", "pairs.scene": "one hard negative"}
    skipped = opened(pairs__anchor="1", pairs__positive="0", pairs__negative="4", **mining)
    assert r"\text{(left out by semi-hard mining)}" in words(skipped)
    everyone = {**mining, "loss.triplet.mining": "all"}
    assert "left out by" not in words(opened(pairs__anchor="1", pairs__positive="0", pairs__negative="4", **everyone))


@pytest.mark.parametrize(("squared", "written"), [("True", "d_{ap}^2-d_{an}^2+m"), ("False", "d_{ap}-d_{an}+m")])
def test_the_formula_of_a_triplet_has_the_distance_that_is_compared(squared: str, written: str) -> None:
    assert written in words(opened(**{"loss.triplet.squared": squared}))


def test_stretches_where_descent_raises_the_value_are_shaded(shown: Shown) -> None:
    opened()
    assert not shown["cut-0"].layout.shapes
    clicked(opened(), "Downhill the value rises")
    assert shown["cut-0"].layout.shapes


def test_collapsed_points_have_neither_a_pair_nor_a_triplet_with_a_gradient(shown: Shown) -> None:
    text = words(clicked(opened(), "Collapse"))
    assert "a gradient to 0 of 66 pairs and 0 of 288 triplets" in text
    assert not len(shown.trace("plane-0", "triplets with a gradient").x)


def test_a_blank_ends_where_its_formula_says(shown: Shown) -> None:
    opened(pairs__loss="n_pair")
    edge = shown.trace("plane-0", "edge above")
    np.testing.assert_allclose(edge.y, (1 + np.array(edge.x)) / 2)
    assert shown.trace("plane-0", "blank below").fillcolor == "#ffffff"


def test_edges_follow_the_number_of_points_until_the_visitor_chooses(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"now": points_of_run(3, 250)}
    scene = subject_picker.choose_subject
    monkeypatch.setattr(subject_picker, "choose_subject", lambda *a, **k: chosen["now"](*a, **k))
    app = opened()
    assert app.session_state["pairs.edges"] == "anchor"
    chosen["now"] = scene
    assert ran(app).session_state["pairs.edges"] == "batch"
    app.session_state["pairs.edges"] = "anchor"
    assert ran(app).query_params["pairs.edges"] == "anchor"
