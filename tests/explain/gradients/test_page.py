"""The page of gradients: its panels, flows and figures draw what the losses compute, under every switch and link."""

import csv
import io
import json
import re
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest

from dml_viz.analysis import LossResponse
from dml_viz.app import component_loader
from dml_viz.data.wire import unpack
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import MOST_CLASSES, Scene, preset
from dml_viz.embedding.sphere import tangent
from dml_viz.explain.gradients import text as gradients_words
from dml_viz.explain.gradients.components import panels as panels_component
from dml_viz.explain.gradients.controls import EIGHT, Names
from dml_viz.explain.gradients.figures._panel import camera, lane_radius
from dml_viz.explain.gradients.figures.cosines import cosines_figure
from dml_viz.explain.gradients.figures.paper import heaviest, panels_figure
from dml_viz.explain.gradients.model import Likeness, Model, Settings, likeness
from dml_viz.explain.gradients.model_flow import effect_of_step
from dml_viz.explain.gradients.model_inputs import balanced_batch, loss_input_of_scene
from dml_viz.explain.gradients.model_panels import LONGEST_ARROW, Panel, arrow_factors
from dml_viz.explain.gradients.presets import PRESETS, WRITERS
from dml_viz.losses import LOSSES
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import class_style
from tests.shown import Shown, decoded, opened, plane_of, ran, words

pytestmark = pytest.mark.usefixtures("workers")
PAGE = "68_gradients.py"
PREFIX = "gradients-"
SCENE = "one hard negative"
EVERY = Names().write(tuple(LOSSES))
Arrays = dict[str, np.ndarray]
DRAWN = component_loader.component


class Messages(dict[str, tuple[dict[str, Any], Arrays]]):
    """The data last sent to the two components of the page, unpacked."""

    def component(self, name: str) -> Any:
        if name not in ("panels", "flow"):  # other components draw as usual
            return DRAWN(name)

        def component(*, data: Any, **_: Any) -> None:
            if isinstance(data, bytes):
                self[name] = unpack(data)

        return component

    @property
    def panels(self) -> tuple[dict[str, Any], Arrays]:
        return self["panels"]

    @property
    def flow(self) -> tuple[dict[str, Any], Arrays]:
        return self["flow"]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flows of a third of the steps, which take most of the time of a page."""
    monkeypatch.setattr(import_module(Model.__module__), "STEPS", 20)


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> Messages:
    messages = Messages()
    monkeypatch.setattr(component_loader, "component", messages.component)
    return messages


def page(**link: object) -> AppTest:
    return opened(PAGE, {name.replace("__", "."): value for name, value in link.items()})


def model(where: str = SCENE, dim: int = 2, names: tuple[str, ...] = tuple(LOSSES)) -> Model:
    of = preset(where, dim, proxies=True).subject()
    return Model(of, Settings(tuple(LOSSES[name]() for name in names), query=4))


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(("dim", "part"), [(2, "tangent"), (3, "tangent"), (2, "ambient")])
def test_the_arrows_of_every_panel_are_the_losses_gradient(messages: Messages, shown: Shown, dim: int, part: str) -> None:
    page(gradients__losses="all", gradients__dim=dim, gradients__part=part)
    header, arrays = messages.panels
    of = preset(SCENE, dim, proxies=True).subject()
    np.testing.assert_allclose(arrays["places"], of.z, atol=1e-6)
    assert [panel["name"] for panel in header["panels"]] == list(dict.fromkeys((*EIGHT, *[p["name"] for p in header["panels"]])))
    assert {panel["name"] for panel in header["panels"]} == set(LOSSES)
    for panel, arrows in zip(header["panels"], arrays["arrows"], strict=True):
        loss = LOSSES[panel["name"]]()
        inputs = loss_input_of_scene(loss, of, MOST_CLASSES)
        gradient = loss.gradient(inputs.z, inputs.y, **dict(inputs.learnt))
        drawn = torch.from_numpy(arrows.astype(np.float64))
        if part == "tangent" or loss.unit:
            drawn, gradient = tangent(drawn, of.z), tangent(gradient, of.z)
        near = 1e-6 * max(1.0, float(np.abs(arrows).max()))
        np.testing.assert_allclose(drawn, gradient, atol=near, err_msg=panel["name"])
        assert panel["value"] == pytest.approx(float(loss.value(inputs.z, inputs.y, **dict(inputs.learnt))))


@pytest.mark.usefixtures("short")
def test_the_scale_switch_changes_lengths_and_never_directions(messages: Messages, shown: Shown) -> None:
    drawn = {}
    app = page(gradients__losses="all", gradients__paper="true")
    for scale in ("unit mean", "raw"):
        app.segmented_control(key="gradients.scale").set_value(scale)
        ran(app)
        header, arrays = messages.panels
        assert header["scale"] == scale
        scales = arrow_factors(list(arrays["lengths"]), scale)
        drawn[scale] = -np.array(scales)[:, None, None] * arrays["arrows"]
        # The figure for print draws the same arrows, cut if too long.
        quiver = shown.trace("paper", "arrows")
        for (k, i), u, v in zip(quiver.customdata.astype(int), quiver.u, quiver.v, strict=True):
            whole = drawn[scale][k, i]
            length = np.linalg.norm(whole)
            np.testing.assert_allclose((u, v), whole * min(1, LONGEST_ARROW / length), atol=1e-5)
    mean, raw = (drawn[scale].reshape(-1, 2) for scale in ("unit mean", "raw"))
    lengths = [np.linalg.norm(rows, axis=1) for rows in (mean, raw)]
    both = (lengths[0] > 0) & (lengths[1] > 0)
    assert both.sum() > 150
    cosines = (mean[both] * raw[both]).sum(1) / (lengths[0][both] * lengths[1][both])
    np.testing.assert_allclose(cosines, 1, atol=1e-6)
    assert not np.allclose(lengths[0], lengths[1])


def test_numbers_below_a_panel_are_those_of_the_loss(messages: Messages, shown: Shown) -> None:
    page()
    header, arrays = messages.panels
    of = model(names=EIGHT)
    for panel, partners, weights in zip(header["panels"], arrays["partners"], arrays["weights"], strict=True):
        found = of.responses[panel["name"]]
        assert (panel["points"], panel["pairs"]) == (list(found.active_points), list(found.active_pairs))
        assert panel["norm"] == pytest.approx(found.gradient_norm)
        n = len(of.y)
        for i in range(n):
            for j, w in zip(partners[i].tolist(), weights[i].tolist(), strict=True):
                if j >= 0:
                    assert w == pytest.approx(found.weights[i, j - n if found.has_proxies else j], rel=1e-5)


def test_knobs_of_one_loss_at_a_time_are_drawn_and_all_take_effect(messages: Messages, shown: Shown) -> None:
    app = page(gradients__loss="circle", loss__triplet__margin=0.5, loss__circle__gamma=32)
    assert {slider.key for slider in app.slider if str(slider.key).startswith("loss.")} == {
        "loss.circle.margin",
        "loss.circle.gamma",
    }
    app.slider(key="loss.circle.gamma").set_value(16.0)
    ran(app)
    values = {panel["name"]: panel["value"] for panel in messages.panels[0]["panels"]}
    of = preset(SCENE, 2).subject()
    assert values["circle"] == pytest.approx(float(LOSSES["circle"](gamma=16.0).value(of.z, of.y)))
    assert values["triplet"] == pytest.approx(float(LOSSES["triplet"](margin=0.5).value(of.z, of.y)))
    assert dict(app.query_params)["loss.triplet.margin"] == "0.5"


def test_losses_are_chosen_by_name_all_at_one_click_or_none(messages: Messages, shown: Shown) -> None:
    app = page(gradients__losses="triplet")
    assert [panel["name"] for panel in messages.panels[0]["panels"]] == ["triplet"]
    for label, many in (("All", len(LOSSES)), ("The eight", 8)):
        app.button(key=f"gradients.losses.set.{label}").click()
        ran(app)
        assert len(messages.panels[0]["panels"]) == many
    app.button(key="gradients.losses.set.None").click()
    ran(app)
    assert "No loss is chosen" in words(app)
    assert dict(app.query_params)["gradients.losses"] == "none"
    app.button(key="gradients.losses.set.All").click()
    ran(app)
    assert dict(app.query_params)["gradients.losses"] == "all"


@pytest.mark.usefixtures("short")
def test_every_preset_says_what_just_happened(messages: Messages, shown: Shown) -> None:
    app = page()
    for preset_of in PRESETS:
        app.button(key="see" if preset_of is WRITERS else f"break.{preset_of.label}").click()
        ran(app)
        assert any(preset_of.label in info.value for info in app.info)
        assert any(sign.isdigit() for sign in app.info[0].value)


def test_the_writers_preset_is_a_link_to_a_figure_of_eight_losses(messages: Messages, shown: Shown) -> None:
    app = page()
    app.button(key="see").click()
    ran(app)
    link = dict(app.query_params)
    assert link == {"gradients.paper": "True"}
    opened(PAGE, link)
    titles = [note.text for note in shown["paper"].layout.annotations if "<b>" in note.text]
    assert titles == [f"<b>{LOSSES[name].title}</b>" for name in EIGHT]
    assert shown["paper"].layout.width == 662


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("gradients.losses", "triplet.nonsense", "nonsense"),
        ("gradients.losses", "x" * 5000, "not known"),
        ("gradients.scale", "NaN", "scale"),
        ("gradients.stride", "inf", "stride"),
        ("gradients.step", "-4", "step"),
        ("gradients.at", "a80_90Z", "scene"),
        ("gradients.view", "<script>", "view"),
        ("gradients.loss", "margin", "loss"),
        ("gradients.draw", "everything", "draw"),
    ],
)
def test_a_malformed_link_gets_a_sentence_and_the_nearest_settings(
    messages: Messages, shown: Shown, name: str, value: str, says: str
) -> None:
    app = opened(PAGE, {name: value})
    assert len(app.warning) == 1
    assert says in app.warning[0].value
    assert len(messages.panels[0]["panels"]) == 8


# Two classes at one point, and a sphere, under every loss; the others under the losses that the page opens with.
@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("scene", "losses"),
    [("a10b10", "all"), ("a10_10_10", ""), ("a0b90c180", ""), ("a90_91b270_271", ""), ("a10~80_20~-80b30~0", "all")],
)
def test_any_scene_is_drawn(messages: Messages, shown: Shown, scene: str, losses: str) -> None:
    chosen = {"gradients__losses": losses} if losses else {}
    app = page(gradients__at=scene, gradients__dim=Scene.read(scene).dim, **chosen)
    assert not app.warning
    for which in (messages.panels, messages.flow):
        for name, array in which[1].items():
            assert np.isfinite(array).all() or name in ("map", "within", "between"), name


def test_the_flow_starts_at_the_points_and_ends_where_the_words_say(messages: Messages, shown: Shown) -> None:
    app = page(gradients__losses="contrastive.proxy_anchor.circle.ranked_list", gradients__step=12)
    header, arrays = messages.flow
    assert (header["step"], header["steps"]) == (12, 60)
    of = model(names=("ranked_list", "proxy_anchor", "circle", "contrastive"))
    size = arrays["points"].size // 4
    for k, panel in enumerate(header["panels"]):
        points = arrays["points"].ravel()[k * size : (k + 1) * size].reshape(61, -1, 2) / 32767.5 - 1
        np.testing.assert_allclose(points[0], of.z, atol=4e-5)
        assert arrays["value"][k, 0] == pytest.approx(of.responses[panel["name"]].value, rel=1e-5)
        falls = (np.diff(arrays["value"][k]) <= 1e-6 * np.abs(arrays["value"][k]).max()).sum()
        assert falls >= 60 - panel["rises"]
        first = -(points[1] - points[0])
        along = of.responses[panel["name"]].tangent
        moved = np.linalg.norm(along, axis=1) > 0.1 * np.linalg.norm(along, axis=1).max()
        first, along = first[moved], along[moved]
        cosine = (first * along).sum(1) / (np.linalg.norm(first, axis=1) * np.linalg.norm(along, axis=1))
        assert (cosine > 0.98).all(), panel["name"]
    text = words(app)
    assert "Circle" in text
    assert "times as much as the gradient promises" in text


def test_proxies_stay_fixed_where_that_is_chosen(messages: Messages, shown: Shown) -> None:
    for learnt, still in (("flow", False), ("held", True)):
        page(gradients__losses="proxy_anchor", gradients__learnt=learnt)
        proxies = messages.flow[1]["proxies"].reshape(61, 3, 2).astype(int)
        assert (np.abs(proxies[-1] - proxies[0]).max() < 2) == still


def test_cosines_are_drawn_in_the_order_of_the_tree(messages: Messages, shown: Shown) -> None:
    page(gradients__losses="all")
    table, tree = shown.trace("cosines", "cosines"), shown.trace("cosines", "tree")
    of = model()
    names = [panel["name"] for panel in messages.panels[0]["panels"]]
    found = likeness([of.responses[name].tangent for name in names])
    np.testing.assert_allclose(table.z, found.cosines, atol=1e-9)
    assert [LOSSES[names[k]]().name for k in found.order] == list(shown["cosines"].layout.xaxis.ticktext)
    assert len(tree.x) == 5 * (len(names) - 1)


def test_the_table_comes_with_the_page() -> None:
    rows = list(csv.reader(io.StringIO(model(names=EIGHT).gradients_as_csv(["a", "b", "c"]))))
    assert len(rows) == 1 + 8 * 11


def figure_of(of: Model, dim: int, **wanted: Any) -> tuple[go.Figure, list[Panel], list[float]]:
    points, panels = of.points, of.panels
    scales = arrow_factors([panel.lengths for panel in panels], "unit mean")
    fig = panels_figure(points, panels, scales, **wanted)
    assert dim == points.places.shape[1]
    return go.Figure(decoded(json.loads(fig.to_json()))), panels, scales


@pytest.mark.parametrize("dim", [2, 3])
def test_the_figure_for_a_paper_draws_every_arrow_at_its_point(dim: int) -> None:
    of = model(dim=dim)
    fig, panels, scales = figure_of(of, dim)
    right, up, eye = camera("235_24")
    onto = np.eye(2) if dim == 2 else np.stack((right, up), 1)
    offsets = np.array(fig.layout.meta["offsets"])
    seen = 0
    for trace in fig.data:
        if trace.type != "quiver":
            continue
        for (k, i), x, y, u, v in zip(trace.customdata, trace.x, trace.y, trace.u, trace.v, strict=True):
            loss = LOSSES[panels[k].name]()
            inputs = loss_input_of_scene(loss, preset(SCENE, dim, proxies=True).subject(), MOST_CLASSES)
            gradient = tangent(loss.gradient(inputs.z, inputs.y, **dict(inputs.learnt)), inputs.z)[i].numpy()
            np.testing.assert_allclose((u, v), -scales[k] * gradient @ onto, atol=1e-9)
            point = of.z[i] @ onto
            inwards = [1.0, *lane_radius(np.arange(8))] if dim == 2 else [1.0]
            assert min(np.abs((x, y) - offsets[k] - r * point).max() for r in inwards) < 1e-9
            assert (trace.name == "arrows") == (dim == 2 or of.z[i] @ eye >= -0.02)
            seen += 1
    assert seen > 100
    for label, name in enumerate("ABC"):
        [trace] = [trace for trace in fig.data if trace.name == name]
        assert (trace.marker.color, trace.marker.symbol) == class_style(label)
        assert len(trace.x) == len(panels) * int((of.y == label).sum())


def test_pairs_are_drawn_as_wide_as_their_weights_and_pulls_differ_from_pushes() -> None:
    of = model(names=("triplet", "proxy_nca"))
    fig, panels, _ = figure_of(of, 2, edges=True)
    drawn = sum(len(trace.x) // 3 for trace in fig.data if trace.name in ("pull", "push"))
    assert drawn == sum(len(heaviest(panel)) for panel in panels)
    weight = of.responses["triplet"].weights
    found = heaviest(panels[0])
    assert found == {pair: pytest.approx(weight[pair]) for pair in found}
    assert set(found) == {(i, j) for i in range(11) for j in range(i + 1, 11) if abs(weight[i, j]) >= 0.01 * np.abs(weight).max()}
    for trace in fig.data:
        if trace.name == "pull":
            assert (trace.line.dash, trace.line.color[:9]) == ("solid", "rgba(0,11")
        if trace.name == "push":
            assert trace.line.dash == "dash"


def test_one_point_has_its_arrow_and_its_own_pairs_alone() -> None:
    of = model(names=("triplet", "proxy_nca"))
    points, panels = of.points, of.panels
    fig = panels_figure(points, panels, arrow_factors([panel.lengths for panel in panels], "unit mean"), point=4)
    found = heaviest(panels[0], 4)
    assert found
    weight = of.responses["triplet"].weights[4]
    assert found == {(min(4, j), max(4, j)): w for j, w in enumerate(weight) if abs(w) >= 0.01 * np.abs(weight).max()}
    drawn = sum(len(trace.x) // 3 for trace in fig.data if trace.name in ("pull", "push"))
    assert drawn == len(found) + len(heaviest(panels[1], 4))
    assert [trace.customdata.tolist() for trace in fig.data if trace.type == "quiver"] == [[[0, 4], [1, 4]]]


def test_around_one_anchor_every_loss_uses_the_points_that_are_counted() -> None:
    [preset_of] = [own for own in PRESETS if own.settings["gradients.draw"] == "one point"]
    names = preset_of.settings["gradients.losses"].split(".")
    assert preset_of.says is not None
    seen = model("overlapping", names=tuple(names))
    says = preset_of.says(Model(seen.embeddings, replace(seen.settings, query=0)))
    y = seen.y
    lifted = "; Lifted structured"
    assert f"{(y == y[0]).sum() - 1} positives and {(y != y[0]).sum()} negatives" in says
    assert f"N-pair 1 and {len(set(y.tolist())) - 1}" in says, "one partner of each class"
    assert f"{lifted} {(y == y[0]).sum() - 1} and {(y != y[0]).sum()}" in says, "all of them"


def test_the_plane_says_what_share_of_each_gradient_it_shows() -> None:
    random = np.random.default_rng(0)
    z = random.normal(size=(20, 16))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    of = Embeddings(torch.from_numpy(z), torch.arange(20) % 4, "", plane=plane_of(torch.from_numpy(z)))
    plane = np.linalg.qr(random.normal(size=(16, 2)))[0]
    seen = Model(replace(of, plane=plane), Settings(tuple(LOSSES[name]() for name in EIGHT)))
    for panel in seen.panels:
        along = seen.responses[panel.name].tangent
        assert panel.share_drawn == pytest.approx(((along @ plane) ** 2).sum() / (along**2).sum())
        np.testing.assert_allclose(panel.arrows, along @ plane)
        np.testing.assert_allclose(panel.lengths, np.linalg.norm(along, axis=1))
    header = panels_component(seen, Display("light", tuple("abcd"))).data
    assert all(0 < panel["shown"] < 1 for panel in header["panels"])
    assert not header["circle"]


def test_a_batch_has_as_many_points_of_each_class_as_there_are() -> None:
    y = torch.tensor([0] * 30 + [1] * 5 + [2] * 30)
    of = Embeddings(torch.arange(65.0, dtype=torch.float64)[:, None].expand(65, 3), y, "")
    found = balanced_batch(of, "32")
    assert np.bincount(found.y).tolist() == [14, 5, 13]
    assert (np.diff(found.z[:, 0]) > 0).all()
    assert len(balanced_batch(of, "all").y) == len(balanced_batch(of, "128").y) == 65
    many = balanced_batch(replace(of, y=torch.arange(65) // 5), "32")
    assert sorted(np.bincount(many.y).tolist()) == [3] * 8 + [4] * 2, "no class is left without positives"


def of_tree(cosines: np.ndarray) -> Likeness:
    """Cosines (L, L) under a tree without merges."""
    return Likeness(tuple(range(len(cosines))), cosines, np.empty((0, 4)), np.empty((0, 4)))


def test_no_cosine_is_made_up() -> None:
    fig = cosines_figure(["One", "Other"], of_tree(np.array([[1.0, np.nan], [np.nan, np.nan]])))
    assert "of which 1 has one" in fig.layout.meta["alt"]
    assert "nan" not in fig.layout.meta["alt"]


def test_a_loss_of_several_forms_is_named_by_the_form_shown(messages: Messages, shown: Shown) -> None:
    for form in ("AM-softmax", "ArcFace"):
        app = page(gradients__losses="margin_softmax.proxy_anchor", loss__margin_softmax__form=form)
        assert set(shown["cosines"].layout.xaxis.ticktext) == {form, "Proxy-Anchor"}
        for header in (messages.panels[0], messages.flow[0]):
            assert {panel["title"] for panel in header["panels"]} == {form, "Proxy-Anchor"}
        assert "NormFace" not in words(app)
    assert {kind().name for kind in LOSSES.values()} - {"AM-softmax"} <= {kind.title for kind in LOSSES.values()}


def test_a_loss_without_a_gradient_is_reported(messages: Messages, shown: Shown) -> None:
    app = page(gradients__losses="histogram")
    text = words(app)
    assert "Losses with a gradient on these points: 0 of 1" in text
    assert "cosines" not in shown, "a matrix of one loss shows nothing"
    assert "blocks of blue" not in text
    [reason] = [info.value for info in app.info]
    assert reason.startswith("Choose other losses")
    assert "Losses with a gradient on these points: 1 of 2" in words(page(gradients__losses="histogram.triplet"))
    assert "cosines" not in shown


def test_the_words_name_losses_without_a_gradient_and_arrows_that_are_cut() -> None:
    of = model(names=("histogram", "triplet", "circle"))
    assert "Losses without a gradient there: 1 of 3: Histogram." in gradients_words.arrows_look_for(of)
    long = model(names=("triplet",))
    [panel] = long.panels
    vars(long)["panels"] = [replace(panel, lengths=np.append(np.full(60, 0.01), 1.0))]
    assert "longer than they are drawn are dashed: 1." in gradients_words.arrows_mislead(long)


def test_two_losses_agree_neither_most_nor_least() -> None:
    pair = model(names=("triplet", "fastap"))
    assert re.fullmatch(r"The gradients of Triplet and FastAP have a cosine of −?\d\.\d\d", gradients_words.alike_claim(pair))
    assert "have a cosine of" in gradients_words.alike_claim(model(names=("histogram", "triplet", "fastap")))
    assert [effect_of_step(share) for share in (1.0, 0.5, -28.0)] == [
        "lowers the value by 100 % of what the gradient promises",
        "lowers the value 0.5 times as much as the gradient promises",
        "raises the value, by 28 times what the gradient promises to lower it by",
    ]


def test_arrived_flows_are_distinguished_from_stuck_ones(messages: Messages, shown: Shown) -> None:
    app = page(gradients__losses="triplet.fastap.ranked_list", loss__triplet__mining="semi-hard")
    ends = {panel["name"]: panel["end"] for panel in messages.flow[0]["panels"]}
    assert ends == {"triplet": "stuck", "fastap": "arrived", "ranked_list": "moves"}
    for k, panel in enumerate(messages.flow[0]["panels"]):
        assert (panel["end"] == "arrived") == (panel["stalled"] is not None and messages.flow[1]["map"][k, -1] == 1)
    assert "60 steps: 1 arrived, 1 stuck, 1 still moving" in words(app)
    assert "it is stuck: Triplet." in words(app)
    app = page(gradients__losses="contrastive", gradients__at="a0b90c180")
    assert {panel["end"] for panel in messages.flow[0]["panels"]} <= {"rests", "moves"}, "nothing can be ranked"


def test_undefined_cosines_are_hatched_and_zeros_are_not() -> None:
    nan = np.nan
    cosines = np.array([[1.0, 0.0, nan], [0.0, 1.0, nan], [nan, nan, nan]])
    fig = go.Figure(decoded(json.loads(cosines_figure(list("ABC"), of_tree(cosines)).to_json())))
    [hatches] = [trace for trace in fig.data if trace.name == "no gradient"]
    ends = np.array([(x, y) for x, y in zip(hatches.x, hatches.y, strict=True) if x is not None], dtype=float)
    middles = ends[np.isfinite(ends).all(1)].reshape(-1, 2, 2).mean(1)
    assert {(round(y), round(x)) for x, y in middles[1::3]} == {(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)}
    assert [note.text for note in fig.layout.annotations] == ["no<br>gradient"]
    assert fig.data[0].text[0][1] == "0.00"
    assert fig.data[0].text[0][2] == ""
    whole = cosines_figure(["A", "B"], of_tree(np.eye(2)))
    assert [trace.name for trace in whole.data] == ["cosines", "tree"]


def test_a_plane_is_drawn_as_large_as_its_points_allow() -> None:
    random = np.random.default_rng(0)
    z = random.normal(size=(40, 64)) + 0.1
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    of = Embeddings(torch.from_numpy(z), torch.arange(40) % 4, "", plane=plane_of(torch.from_numpy(z)))
    losses, plane = (tuple(LOSSES[name]() for name in ("triplet", "proxy_nca")), np.linalg.qr(random.normal(size=(64, 2)))[0])
    seen = Model(replace(of, plane=plane), Settings(losses, trained=()))
    points, panels = seen.points, seen.panels
    np.testing.assert_allclose(points.places / points.zoom + points.middle, z @ plane)
    proxies = [panel.proxies for panel in panels if panel.proxies is not None]
    far = max(np.abs(rows).max() for rows in (points.places, *proxies))
    assert points.zoom > 1
    assert far <= 1 < far * (points.zoom + 0.25) / points.zoom
    np.testing.assert_allclose(panels[0].arrows, seen.responses["triplet"].tangent @ plane, err_msg="arrows keep their length")
    scales = arrow_factors([panel.lengths for panel in panels], "unit mean")
    assert not panels_figure(points, panels, scales).layout.shapes, "the sphere's edge is out of the picture"
    header = panels_component(seen, Display("light", tuple("abcd"))).data
    assert (header["zoom"], tuple(header["middle"])) == (points.zoom, points.middle)
    assert model().points.zoom == 1
    assert "times as far apart" in gradients_words.arrows_mislead(seen)


def test_a_link_holds_losses_in_their_own_order() -> None:
    assert Names().read("circle.triplet.triplet") == "triplet.circle"
    assert Names().read("all") == Names().read(".".join(LOSSES)) == EVERY == "all"
    assert Names().read(".".join(reversed(EIGHT))) == Names().default
    assert Names().error_for("circle.triplet")


def test_a_step_of_a_run_is_looked_at_in_any_dimension(messages: Messages, monkeypatch: pytest.MonkeyPatch) -> None:
    app = page(subject="live run", run__dim=8, run__steps=100, step=20, gradients__batch=32, gradients__losses="triplet.fastap")
    assert "32 points in 8 dimensions" in words(app)
    header, arrays = messages.panels
    assert arrays["places"].shape == (32, 2)
    assert all(0 < panel["shown"] < 1 for panel in header["panels"])
    assert not header["dragged"]
    assert "The plane shows" in words(app)


def test_every_loss_of_the_page_is_timed() -> None:
    of = preset(SCENE, 2, proxies=True).subject()
    for kind in LOSSES.values():
        loss = kind()
        assert LossResponse(loss, loss_input_of_scene(loss, of, MOST_CLASSES)).evaluation_seconds > 0
