"""The proxies page draws what the losses compute: edges, arrows, curves, tables, flows, and the sentences of every preset."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from weakref import ref

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest

from dml_viz.app import subject_picker
from dml_viz.embedding.class_directions import means
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.embedding.sphere import normalise
from dml_viz.explain.proxies import ROOM, controls, model_bound
from dml_viz.explain.proxies.figures._edges import LEVELS, MOST_EDGES, PALE, THINNED, WIDEST
from dml_viz.explain.proxies.figures.picture import ARROW
from dml_viz.explain.proxies.model import Model, Settings
from dml_viz.explain.proxies.model_influence import recorded_structure
from dml_viz.explain.proxies.model_response import LIGHTEST, ProxyLoss, ProxyResponse, flow, proxy_response
from dml_viz.explain.proxies.presets import LESSON, PRESETS
from dml_viz.explain.proxies.scenes import ARRIVED, FIRST, FOUR, PLACES, TURNED, scenes, with_proxies, with_run_proxies
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.pitfalls import about
from dml_viz.room import room
from dml_viz.room.link_reader import LinkReader
from dml_viz.serve.figure_store import FEW
from tests.samples import sample
from tests.shown import Shown, plane_of, ran, words
from tests.shown import opened as page_opened

PAGE = "60_proxies.py"
PREFIX = "proxies-"
TABLES = {"table-nca", "table-anchor", "table-cousin"}
MOVES = {"moves-nca", "moves-anchor", "moves-triplet"}
ALWAYS = {"pull", "push", "cousin", "pull-cousin", "flow-nca", "flow-anchor", "flow", "bound", "floor", *TABLES, *MOVES}
PICTURES = {"nca", "anchor"}


class Live(SimpleNamespace):
    """What a page reads of a job; unlike its base, it can be referred to weakly."""

    experiment = SimpleNamespace(image_file_fingerprints=frozenset())


def opened(**link: str) -> AppTest:
    return page_opened(PAGE, {name.replace("__", "."): value for name, value in link.items()})


def traces(fig: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in fig.data}


def response(loss: ProxyLoss, scene: Scene) -> ProxyResponse:
    subject = scene.subject()
    return proxy_response(loss, subject.z, subject.y, subject.learnt["proxies"])


def many(dim: int, classes: int = 10) -> Callable[..., Any]:
    """A chooser of 250 points of a live run, whose loss has learnt proxies with paths over three frames."""
    generator = torch.Generator().manual_seed(0)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    y, proxies = torch.arange(250) % classes, torch.nn.functional.normalize(draw(classes, dim), dim=1)
    z = torch.nn.functional.normalize(proxies[y] + 0.5 * draw(250, dim), dim=1)
    subject = Embeddings(z, y, "Digits, Proxy-Anchor, step 2, seen classes", {"proxies": proxies}, plane_of(z))
    frames = {step: SimpleNamespace(learnt={"proxies": np.roll(proxies.numpy(), step, 0)}) for step in (0, 1)}
    live: Any = Live(
        subject=SimpleNamespace(train_classes=tuple(range(classes))),
        run=SimpleNamespace(loss=ProxyAnchor()),
        steps=tuple(frames),
        at=frames.get,
    )
    chosen = subject_picker.Chosen(lambda: subject, lambda: True, tuple("0123456789"), None, live=live)
    return lambda *_, **__: chosen


def test_page_opens_with_every_figure_drawn(shown: Shown) -> None:
    said = words(opened())
    assert set(shown) == ALWAYS
    judged = recorded_structure()
    assert f"Spearman correlation of {judged.correlation:.2f} over {judged.pairs} pairs of classes. Here it is" in said


# Neighbours in the list take the two ends in turn, and the variants.
@pytest.mark.parametrize(("place", "name"), list(enumerate(sample([*scenes(), *SCENES], 5))))
def test_every_scene_is_shown_at_an_end_of_every_control(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, place: int, name: str
) -> None:
    monkeypatch.setattr(controls, "STEPS", 24)  # of the flow, which takes longest
    monkeypatch.setattr(model_bound, "STEPS", 24)
    app = opened(proxies__scene=name, proxies__variant=("SoftTriple", "ArcFace", "NormFace")[place % 3])
    for slider in app.slider:
        slider.set_value((slider.min, slider.max)[place % 2])
    for toggle in app.toggle:
        toggle.set_value(place % 2 == 1)
    ran(app)
    assert set(shown) == ALWAYS
    assert not re.search(r"\bnan\b", words(app).lower().replace("nan for a gradient", ""))


@pytest.mark.parametrize(("name", "loss"), [("nca", ProxyNCA(scale=2.0)), ("anchor", ProxyAnchor(alpha=16.0))])
def test_edges_are_the_weights_of_the_loss(shown: Shown, monkeypatch: pytest.MonkeyPatch, name: str, loss: ProxyLoss) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(3))
    opened(nca__scale="2", anchor__alpha="16", proxies__edges="all")
    subject = many(3)().subject()
    found = loss.weights(subject.z, subject.y, **subject.learnt).proxy
    assert found is not None
    whole = proxy_response(loss, subject.z, subject.y, subject.learnt["proxies"])
    drawn = np.array(shown[name].layout.meta["edges"])
    np.testing.assert_allclose(drawn[:, 2], found.numpy()[tuple(drawn[:, :2].astype(int).T)])
    heavy = np.sort(np.abs(found.numpy())[np.abs(found.numpy()) > LIGHTEST * whole.pull_and_push_bounds[0]])[-MOST_EDGES:]
    np.testing.assert_allclose(np.abs(drawn[:, 2]), heavy, atol=1e-12)


def test_an_edge_is_as_wide_as_its_share_and_coloured_by_its_sign(shown: Shown) -> None:
    opened(proxies__scene=FIRST)
    proxies = response(MarginSoftmax(), scenes()[FIRST])
    lines = [trace for trace in shown["cousin"].data if trace.name in ("pull", "push")]
    count = 0
    for line in lines:
        starts = np.stack((line.x, line.y), 1).reshape(-1, 10, 2)
        for start, end in zip(starts[:, 0], starts[:, 8], strict=True):
            i = int(np.abs(proxies.inputs.z.numpy() - start).sum(1).argmin())
            p = int(np.abs(proxies.proxies.numpy() - end).sum(1).argmin())
            weight = proxies.weights[i, p]
            assert (line.name == "pull") == (weight < 0)
            level = np.ceil(abs(weight) / proxies.pull_and_push_bounds[0] * LEVELS)
            assert line.line.width == pytest.approx(WIDEST * max(level, 1) / LEVELS)
            count += 1
    assert (
        count
        == len(shown["cousin"].layout.meta["edges"])
        == (np.abs(proxies.weights) > LIGHTEST * proxies.pull_and_push_bounds[0]).sum()
    )


@pytest.mark.parametrize(("which", "axis"), [("sample", 0), ("proxy", 1)])
def test_edges_of_one_point_are_only_its_own(shown: Shown, monkeypatch: pytest.MonkeyPatch, which: str, axis: int) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(2))
    opened(proxies__edges=which, proxies__query="7", proxies__proxy="4")
    for name in PICTURES:
        drawn = np.array(shown[name].layout.meta["edges"])
        assert set(drawn[:, axis]) == {7 if which == "sample" else 4}


def test_of_many_samples_the_edges_of_the_chosen_one_are_drawn_first(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(3))
    app = opened(proxies__query="7", proxies__proxy="4")
    for name, axis, one in (("nca", 0, 7), ("anchor", 1, 4), ("cousin", 0, 7), ("flow-nca", 0, 7), ("flow-anchor", 1, 4)):
        assert set(np.array(shown[name].layout.meta["edges"])[:, axis]) == {one}
    assert "proxies.edges" not in app.query_params
    app.session_state["proxies.edges"] = "all"
    ran(app)
    assert app.query_params["proxies.edges"] == "all"


def test_edges_are_reset_with_the_size_of_the_subject(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened()
    monkeypatch.setattr(subject_picker, "choose_subject", many(3))
    ran(app)
    assert app.session_state["proxies.edges"] == "picked"
    app.session_state["proxies.edges"] = "proxy"
    ran(app)
    assert app.session_state["proxies.edges"] == "proxy"


def test_crowded_edges_are_drawn_fainter_and_a_sentence_says_so(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(3))
    opened(proxies__edges="all")
    lines = [trace.line for trace in shown["nca"].data if trace.name in ("pull", "push")]
    assert max(line.width for line in lines) == pytest.approx(WIDEST * THINNED, rel=0.1)
    assert all(f"{PALE}" in line.color for line in lines)
    assert f"{MOST_EDGES} of 2500 edges, at a third of the width" in shown["nca"].layout.meta["alt"]


def test_a_label_of_a_run_has_no_symbols_of_more_than_letters(monkeypatch: pytest.MonkeyPatch, shown: Shown) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(2))
    [rate] = [slider.label for slider in opened().select_slider if slider.key == "run.proxy_lr"]
    assert rate == "learning rate of what the loss learns, ×\N{NO-BREAK SPACE}the net's"


@pytest.mark.parametrize(
    ("scene", "first", "last"), [(FIRST, 33, 44), ("one hard negative", 33, 0), (ARRIVED, 0, 0), (TURNED, 100, 100)]
)
def test_the_words_of_a_flow_are_its_numbers(shown: Shown, scene: str, first: int, last: int) -> None:
    opened(proxies__scene=scene)
    whole = scenes().get(scene) or with_proxies(preset(scene), "class means")
    gone = flow(response(ProxyAnchor(), whole), 120, 1.0)
    assert (round(100 * gone.pull_shares[0]), round(100 * gone.pull_shares[-1])) == (first, last)
    pulls = re.search(r"Proxy-Anchor: from pull ([\d.]+)%.* to pull ([\d.]+)%", shown["flow"].layout.meta["alt"])
    assert pulls
    assert [float(share) for share in pulls.groups()] == pytest.approx([first, last], abs=0.5)


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_arrows_go_down_the_gradient_of_samples_and_of_proxies(shown: Shown, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(2))
    opened()
    subject = many(2)().subject()
    loss: ProxyLoss = ProxyNCA() if name == "nca" else ProxyAnchor()
    found = loss.gradients(subject.z, subject.y, **subject.learnt)
    rows = torch.cat((found.z, found.learnt["proxies"])).numpy()
    drawn = traces(shown[name])
    for what, scale in zip(("samples", "proxies"), shown[name].layout.meta["scale"], strict=True):
        arrows = drawn[f"arrows of {what}"]
        np.testing.assert_allclose(np.stack((arrows.u, arrows.v), 1) / scale, -rows[arrows.customdata], atol=1e-9)
    most = 2 / 250 if name == "nca" else 32 / 10
    assert shown[name].layout.meta["scale"][0] == pytest.approx(ARROW / most)


def test_proxies_are_drawn_where_they_are_learnt_and_their_paths_end_there(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(2))
    opened()
    proxies = many(2)().subject().learnt["proxies"].numpy()
    for name in PICTURES:
        drawn = traces(shown[name])["proxies"]
        np.testing.assert_allclose(np.stack((drawn.x, drawn.y), 1), proxies, atol=1e-9)
        paths = [trace for trace in shown[name].data if trace.name == "path"]
        for p, path in enumerate(paths):
            walked = [proxies[p], proxies[(p - 1) % 10], proxies[p]]  # np.roll by 0 and by 1, then where it is
            np.testing.assert_allclose(np.stack((path.x, path.y), 1), walked, atol=1e-9)
        assert len(paths) == 10


@pytest.mark.parametrize("positive", [True, False])
def test_hardness_curves_and_marks_are_the_weights_of_the_loss(shown: Shown, positive: bool) -> None:
    opened(proxies__scene=FOUR, proxies__query="5", nca__scale="2")
    for title, loss in (("Proxy-NCA", ProxyNCA(scale=2.0)), ("Proxy-Anchor", ProxyAnchor())):
        found = response(loss, scenes()[FOUR])
        of, most = (
            (found.same_class, -found.pull_and_push_bounds[0]) if positive else (~found.same_class, found.pull_and_push_bounds[1])
        )
        drawn = traces(shown["pull" if positive else "push"])
        marks = drawn[f"{title}, pairs"]
        np.testing.assert_allclose(np.asarray(marks.y) * most, found.weights[of], atol=1e-12)
        np.testing.assert_allclose(marks.x, found.cosine_similarities[of])
        proxy = 1 if positive else int(np.where(np.arange(4) == 1, -2, found.cosine_similarities[5]).argmax())
        now = drawn[f"{title}, now"]
        assert now.y[0] * most == pytest.approx(found.weights[5, proxy])
        curve = drawn[title]
        np.testing.assert_allclose(np.asarray(curve.y) * most, found.weights_along(5, proxy, np.asarray(curve.x)), atol=1e-12)


def test_the_pull_of_proxy_nca_is_drawn_flat_and_falls_with_the_positive_in_the_denominator(shown: Shown) -> None:
    opened()
    np.testing.assert_allclose(traces(shown["pull"])["Proxy-NCA"].y, 1)
    app = opened(nca__positive_in_denominator="on", nca__scale="3")
    curve = traces(shown["pull"])["Proxy-NCA"].y
    assert (np.diff(curve) <= 0).all()
    assert curve[0] > 0.9 > 0.1 > curve[-1]
    assert "Proxy-NCA's fades too" in "\n".join(note.value for note in app.subheader)


def test_the_heading_of_the_pull_holds_where_targets_are_smoothed_and_where_one_proxy_is_left(shown: Shown) -> None:
    kept = {"nca__scale": "8", "nca__positive_in_denominator": "on", "nca__smoothing": "0.3"}
    app = opened(**kept)
    assert traces(shown["pull"])["Proxy-NCA"].y[-1] == pytest.approx(-0.3, abs=1e-3)
    assert "Proxy-NCA's fades too, and is a push where its proxy's share exceeds 70%" in words(app)
    app = opened(**kept, proxies__truncated="on")
    assert "The losses have that of the first class alone" in words(app)
    assert "Proxy-NCA's is none, with a single proxy" in words(app)


@pytest.mark.parametrize("scale", ["1", "4.1", "8"])
def test_the_least_loss_is_marked_on_its_curves_and_captioned_as_drawn(shown: Shown, scale: str) -> None:
    opened(nca__scale=scale, nca__smoothing="0.3", proxies__wrong_sign="on")
    floor = shown["floor"]
    low, high = floor.layout.xaxis.range
    for title, trace in traces(floor).items():
        if title.startswith("now"):
            assert low < trace.x[0] < high
            pull = traces(floor)[title.replace("now", "pull")]
            assert trace.y[0] == pytest.approx(np.interp(trace.x[0], pull.x, pull.y))
    settings = ROOM.settings(LinkReader({"nca.scale": scale, "nca.smoothing": "0.3"}), room.Subject())
    assert ROOM.losses_by_figure(settings)["proxies-floor"] == (ProxyNCA(scale=float(scale), positive_in_denominator=True),)


@pytest.mark.parametrize(
    ("name", "loss"),
    [("table-nca", ProxyNCA()), ("table-anchor", ProxyAnchor()), ("table-cousin", MarginSoftmax(form="ArcFace"))],
)
def test_tables_hold_the_weights_and_the_sums_of_their_rows_and_columns(shown: Shown, name: str, loss: ProxyLoss) -> None:
    opened(proxies__scene=FIRST, proxies__cousin="ArcFace")  # the key of older links
    drawn, found = traces(shown[name]), response(loss, scenes()[FIRST])
    np.testing.assert_allclose(drawn["W"].z, found.weights, atol=1e-12)
    np.testing.assert_allclose(drawn["row sums"].x, found.weights.sum(1), atol=1e-12)
    np.testing.assert_allclose(drawn["column sums"].y, found.weights.sum(0), atol=1e-12)
    assert drawn["W"].zmax == pytest.approx(found.pull_and_push_bounds[0])


def test_rows_that_sum_to_zero_are_labelled_so(shown: Shown) -> None:
    opened(proxies__scene=FIRST)
    alts = {name: shown[name].layout.meta["alt"] for name in TABLES}
    assert "rows sum to 0, columns" in alts["table-nca"]
    assert "rows sum to 0, columns" in alts["table-cousin"]
    assert "rows sum to 0, columns" not in alts["table-anchor"]


def test_soft_triple_has_a_column_for_every_centre(shown: Shown) -> None:
    opened(proxies__scene="two modes in one class", proxies__variant="SoftTriple", triple__centres="3")
    table = traces(shown["table-cousin"])
    assert table["W"].z.shape == (11, 9)
    np.testing.assert_allclose(table["row sums"].x, 0, atol=1e-12)
    assert list(shown["table-cousin"].layout.xaxis.ticktext) == [*"AAABBBCCC"]


def test_the_flow_that_is_drawn_is_the_flow(shown: Shown) -> None:
    opened(proxies__scene=FOUR, proxies__step="70", proxies__times="5")
    for name, title, loss in (("flow-nca", "Proxy-NCA", ProxyNCA()), ("flow-anchor", "Proxy-Anchor", ProxyAnchor())):
        gone = flow(response(loss, scenes()[FOUR]), 120, 5.0)
        proxies = traces(shown[name])["proxies"]
        np.testing.assert_allclose(np.stack((proxies.x, proxies.y), 1), gone.proxies[70], atol=1e-9)
        path = next(trace for trace in shown[name].data if trace.name == "path")
        np.testing.assert_allclose(np.stack((path.x, path.y), 1), gone.proxies[:71, 0], atol=1e-9)
        pull, cosine = (trace.y for trace in shown["flow"].data if trace.name == title)
        np.testing.assert_allclose(pull, gone.pull_shares, atol=1e-12)
        np.testing.assert_allclose(cosine, gone.cosine, atol=1e-12)


def test_formulas_hold_the_numbers_of_the_sample_and_the_proxy(shown: Shown) -> None:
    app = opened(proxies__scene=ARRIVED, proxies__query="3", proxies__proxy="0")
    nca, anchor = (response(loss, scenes()[ARRIVED]) for loss in (ProxyNCA(), ProxyAnchor()))
    d2 = 2 - 2 * nca.cosine_similarities[3]
    term = d2[0] + np.log(np.exp(-d2[1:]).sum())
    assert rf"e^{{-{d2[0]:.2f}}}" in words(app)
    assert f"= {term:.3f}" in words(app)
    assert r"w_{3,\textit{A}} = -0.167 = 100\,\%\ \text{of}\ \tfrac{2\sigma^2}{N}" in words(app)
    push = np.log1p(np.exp(32 * (anchor.cosine_similarities[4:, 0] + 0.1)).sum())
    assert rf"= {push:.3f}\\w_{{3,\textit{{A}}}}" in words(app)


@pytest.mark.parametrize(
    ("smoothing", "in_denominator", "wrong"), [("0", "off", "off"), ("0.1", "on", "off"), ("0.1", "off", "on"), ("0", "on", "on")]
)
def test_terms_of_samples_average_to_the_loss(shown: Shown, smoothing: str, in_denominator: str, wrong: str) -> None:
    knobs = {"nca__smoothing": smoothing, "nca__positive_in_denominator": in_denominator, "proxies__wrong_sign": wrong}
    terms = []
    for query in range(4):
        app = opened(proxies__at="a10b100a200b300A20B220", proxies__query=str(query), **knobs)
        terms.append(float(re.findall(rf"\\ell_\{{{query}\}} = .*= (-?\d+\.\d+)\\\\", words(app))[0]))
    subject = Scene.read("a10b100a200b300A20B220").subject()
    turn = -1 if wrong == "on" else 1
    loss = ProxyNCA(smoothing=float(smoothing), positive_in_denominator=in_denominator == "on")
    value = float(loss.value(subject.z, subject.y, proxies=turn * subject.learnt["proxies"]))
    assert np.mean(terms) == pytest.approx(value, abs=1e-3)


SAID = {
    LESSON.label: ["cosine to its own proxy is 0.988", "2σ²/N = 0.167", "100% of its maximum", "6.2e-11 of at most 32"],
    "Positive kept": ["0.0% of their maximum"],
    "Sign error": ["mean cosine is −0.99", "at most 0."],
    "Too few proxies": ["2 proxies for 4 classes", "8 of 16 samples have no gradient", "pushes 8 of them", "2 of these"],
    "Only the hardest": ["#3 has 100.0% of its proxy's pull", "Proxy-NCA pulls all 4 equally, with 100%"],
    "No floor": ["Proxy-NCA is −", "100% of their maximum"],
    "NaN territory": ["float32 ends at 88.7", "the loss is inf", "samples get NaN", "log-sum-exp"],
    "Smoothing": ["ε = 0.3", "10 of 24 pairs"],
    "Move one sample": ["0% under Proxy-NCA, 45% under triplets", "47% under Proxy-Anchor with α = 4 and δ = 0.5"],
    "Collapse": ["log(C − 1) = 0.693", "gradient is 0,"],
}


@pytest.mark.parametrize("label", [preset.label for preset in PRESETS])
def test_one_click_on_a_preset_explains_what_happened(shown: Shown, label: str) -> None:
    app = opened(proxies__scene="antipodal", nca__smoothing="0.1", anchor__delta="0.3")
    app.button(key="see" if label == LESSON.label else f"break.{label}").click()
    ran(app)
    [note] = app.info
    for number in SAID[label]:
        assert number in note.value
    assert set(shown) == ALWAYS
    again = opened(**{name.replace(".", "__"): value for name, value in app.query_params.items()})
    assert again.info[0].value == note.value  # its link shows the same
    app.session_state["anchor.delta"] = 0.2
    ran(app)
    assert app.info[0].value == f"Before your changes. {note.value}"


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("place", PLACES)
def test_proxies_are_put_where_the_button_says(shown: Shown, place: str, dim: int) -> None:
    app = opened(proxies__scene="overlapping", proxies__dim=str(dim))
    app.button(key=f"put.{place}").click()
    ran(app)
    subject = Scene.read(app.query_params["proxies.at"]).subject()
    wanted = PLACES[place](subject.z, subject.y, 3)
    np.testing.assert_allclose(subject.learnt["proxies"].numpy(), wanted.numpy(), atol=2e-4)
    assert torch.equal(subject.z, preset("overlapping").within(dim).subject().z)


def test_scenes_of_the_page_have_their_proxies_where_they_say() -> None:
    subject = scenes()[ARRIVED].subject()
    np.testing.assert_allclose(subject.learnt["proxies"].numpy(), means(subject.z, subject.y, 3).numpy(), atol=2e-4)
    assert with_proxies(scenes()[FIRST], "class means") == scenes()[FIRST]


@pytest.mark.parametrize("dim", [3, 64])
def test_a_step_of_a_run_is_shown_in_any_dimension(shown: Shown, monkeypatch: pytest.MonkeyPatch, dim: int) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", many(dim))
    app = opened(proxies__query="249", proxies__proxy="9")
    assert set(shown) == ALWAYS | PICTURES
    assert f"250 samples in {dim} dimensions" in words(app)
    assert r"Proxies\: learnt by the run, with their paths since step 0." in words(app)
    assert app.slider(key="proxies.step").max == 40
    assert FEW < 250


def of_run(
    loss: ProxyLoss | None, trained: tuple[int, ...], learnt: dict[str, torch.Tensor], settings: Settings | None = None
) -> Model:
    """Twelve points of the classes 1, 3 and 5 at a step of a run."""
    z = torch.nn.functional.normalize(torch.randn(12, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1)), dim=1)
    embeddings = Embeddings(z, torch.tensor((1, 3, 5)).repeat(4), "a step", learnt, plane_of(z))
    title = type("Other", (), {"title": "Triplet"})()
    live: Any = Live(
        subject=SimpleNamespace(train_classes=trained),
        run=SimpleNamespace(loss=loss or title),
        steps=(0,),
        at=lambda _: SimpleNamespace(learnt={name: rows.numpy() for name, rows in learnt.items()}),
    )
    return Model(*with_run_proxies(room.Subject(embeddings, ref(live)), settings or Settings()))


@pytest.mark.parametrize("place", ["learnt", "class means"])
def test_the_bound_over_a_run_is_that_of_each_frame_and_its_own_proxies(place: str) -> None:
    draw = torch.Generator().manual_seed(2)
    y = torch.tensor((1, 3, 5)).repeat(4)
    each = {
        step: [normalise(torch.randn(count, 3, dtype=torch.float64, generator=draw)) for count in (12, 4)]
        for step in (0, 10, 20, 30)
    }

    def at(frame: Any) -> Embeddings:
        z, proxies = each[frame]
        return Embeddings(z, y, "a step", {"proxies": proxies})

    live: Any = Live(
        subject=SimpleNamespace(train_classes=(1, 3, 4, 5)),
        run=SimpleNamespace(loss=ProxyAnchor()),
        steps=(0, 10, 20, 30),
        at=lambda step: step,
    )
    if place == "learnt":  # whose paths are of frames, too
        live.at = lambda step: type("", (int,), {"learnt": {"proxies": each[step][1].numpy()}})(step)
    shown = room.Subject(at(20), ref(live), 20, at)
    found = Model(*with_run_proxies(shown, Settings(proxies_from=place))).bound_of_run
    assert found is not None
    assert found.steps.tolist() == [0, 10, 20]
    for step, bound, mean in zip((0, 10, 20), found.bound, found.triplets, strict=True):
        z, proxies = each[step]
        own = proxies[[0, 1, 3]] if place == "learnt" else means(z, torch.arange(3).repeat(4), 3)
        d = torch.cdist(z, own)
        near = d[torch.arange(12), torch.arange(12) % 3].mean()
        assert bound == pytest.approx(float(3 * near - (d.sum() / 12 - near) / 2))
        d, same = torch.cdist(z, z), y[:, None] == y
        assert mean == pytest.approx(float(d.masked_fill(~same, 0).sum() / 36 - d[~same].mean()))
        assert mean <= bound
    assert Model(at(0), Settings()).bound_of_run is None


def test_a_run_of_another_form_of_proxy_nca_says_so() -> None:
    proxies = {"proxies": torch.nn.functional.normalize(torch.randn(3, 3, dtype=torch.float64), dim=1)}
    with_positive = ProxyNCA(positive_in_denominator=True)

    def note(loss: ProxyLoss, nca: ProxyNCA) -> str:
        return of_run(loss, (1, 3, 5), proxies, Settings(nca)).settings.note

    assert "run's Proxy-NCA has another denominator" in note(with_positive, ProxyNCA())
    assert "run's Proxy-NCA" not in note(with_positive, with_positive)
    assert "run's Proxy-NCA has another denominator" in note(ProxyNCA(), with_positive)
    assert "run's Proxy-NCA" not in note(ProxyAnchor(), with_positive)


def test_rows_of_learnt_proxies_are_found_by_the_classes_trained_on() -> None:
    proxies = torch.nn.functional.normalize(torch.randn(4, 3, dtype=torch.float64), dim=1)
    model = of_run(ProxyAnchor(), (1, 3, 4, 5), {"proxies": proxies})
    assert model.classes.tolist() == [1, 3, 4, 5]
    assert model.own_proxy_indices.tolist()[:3] == [0, 1, 3]
    torch.testing.assert_close(model.proxies, proxies)


def test_several_centres_of_a_class_are_shown_as_their_mean_and_all_used_by_soft_triple() -> None:
    proxies = torch.nn.functional.normalize(torch.randn(6, 3, dtype=torch.float64), dim=1)
    settings = Settings(third_loss=SoftTriple(centres=2))
    model = of_run(SoftTriple(centres=2), (1, 3, 5), {"proxies": proxies}, settings)
    assert "means of 2 centres" in model.settings.note
    torch.testing.assert_close(model.proxies[0], torch.nn.functional.normalize(proxies[:2].mean(0), dim=0))
    torch.testing.assert_close(model.third_loss.proxies, proxies)


@pytest.mark.parametrize(
    ("loss", "learnt", "note"),
    [
        (None, {}, "as Triplet learns no proxies"),
        (ProxyAnchor(), {"proxies": torch.eye(3, dtype=torch.float64)[:2]}, "as the run learns proxies of the seen classes only"),
    ],
)
def test_class_means_replace_missing_proxies_of_a_run_and_a_sentence_says_so(
    loss: ProxyLoss | None, learnt: dict[str, torch.Tensor], note: str
) -> None:
    model = of_run(loss, (0, 1), learnt)
    assert note in model.settings.note
    assert "Proxies: class means" in model.settings.note
    torch.testing.assert_close(model.proxies, means(model.embeddings.z, model.own_proxy_indices, 3))
    assert model.classes.tolist() == [1, 3, 5]


def test_a_link_alone_gives_the_settings_that_the_page_would_have() -> None:
    link = {"proxies.variant": "SoftTriple", "triple.centres": "3", "proxies.step": "7", "nca.scale": "2"}
    read = ROOM.settings(LinkReader(link), room.Subject())
    assert read == Settings(ProxyNCA(scale=2.0), third_loss=SoftTriple(centres=3), step=7)


def test_every_pitfall_of_these_losses_is_shown(shown: Shown) -> None:
    text = words(opened())
    pitfalls = about(("proxy_nca", "proxy_anchor", "margin_softmax", "soft_triple"))
    assert len(pitfalls) > 8
    for pitfall in pitfalls:
        assert f"| **{pitfall.title}.** {pitfall.claim} | {pitfall.answer} |" in text


def test_a_model_of_few_samples_is_computed_once_for_all(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(proxies__scene=FOUR, nca__scale="7.3")
    assert set(shown) == ALWAYS
    monkeypatch.setattr(ProxyResponse, "_weigh", lambda *_: pytest.fail("computed again"))
    ran(app)
    assert set(shown) == ALWAYS
