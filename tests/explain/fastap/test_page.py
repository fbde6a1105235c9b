"""The FastAP page says what it computes: every scene, every way to break it, every end of every control."""

import re
import sys
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import subject_picker
from dml_viz.embedding.scene import SCENES, Scene, preset_embeddings
from dml_viz.explain.fastap.model import Model, Settings
from dml_viz.explain.fastap.model_bins import Binning
from dml_viz.explain.fastap.presets import PRESETS
from dml_viz.explain.fastap.text import bins_look_for, bins_title
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls import about
from dml_viz.serve.figure_store import FEW
from tests.samples import THOROUGH
from tests.shown import Shown, given, points_of_run, ran, words
from tests.shown import opened as page_opened

PAGE = "64_fastap.py"
PREFIX = "fastap-"
NAMES = {
    "pipeline",
    "precision_recall",
    "arrows",
    "against_bins",
    "batch",
    "queries",
    "stairs",
    "stretched",
    "skewed",
    "limit",
    "codes",
    "recalls",
}


def opened(**link: str) -> AppTest:
    return page_opened(PAGE, {name.replace("__", "."): value for name, value in link.items()})


def traces(fig: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in fig.data}


def test_page_opens_with_every_figure_drawn(shown: Shown) -> None:
    opened()
    assert set(shown) == NAMES


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_is_shown_at_every_end_of_every_control(shown: Shown, name: str) -> None:
    last = len(preset_embeddings(name).y) - 1
    app = opened(scene=name)
    ends = [(4, "soft", "batch", 0), (100, "hard", "query", last), (10, "half", "batch", last)]
    turn = [*SCENES].index(name)
    for bins, kind, arrows, query in ends if THOROUGH else (ends[turn % 3], ends[(turn + 1) % 3]):
        for key, value in (("bins", bins), ("kind", kind), ("arrows", arrows), ("query", query)):
            app.session_state[f"fastap.{key}"] = value
        ran(app)
        assert set(shown) == NAMES
        assert "nan" not in words(app).lower().replace("which is nan", "")


def test_what_is_drawn_is_the_loss_and_the_query_asked_for(shown: Shown) -> None:
    app = opened(scene="overlapping", fastap__bins="7", fastap__query="5")
    subject = preset_embeddings("overlapping")
    value = float(FastAP(bins=7).value(subject.z, subject.y))
    assert traces(shown["queries"])["FastAP"].y.mean() == pytest.approx(1 - value)
    assert len(traces(shown["pipeline"])["h⁺"].y) == 8
    assert f"1 − loss = {1 - value:.3f}" in words(app)
    ring = traces(shown["queries"])["the query"]
    assert ring.y[1] == pytest.approx(traces(shown["against_bins"])["now"].y[0])
    assert r"\mathrm{FastAP}_{5}=\tfrac{1}{4}" in words(app)
    assert rf"\big)={ring.y[1]:.3f}" in words(app)
    assert rf"=\mathrm{{FastAP}}={ring.y[1]:.3f}" in words(app)
    assert words(app).count(f"={ring.y[1]:.3f}") == 2, "the sum and the way to it from average precision"


def test_arrows_of_the_whole_loss_are_its_descent(shown: Shown) -> None:
    opened(scene="overlapping", fastap__bins="7", fastap__arrows="batch")
    subject = preset_embeddings("overlapping")
    gradient = FastAP(bins=7).gradient(subject.z, subject.y).numpy()
    [arrows] = [trace for trace in shown["arrows"].data if trace.type == "quiver"]
    drawn = np.stack((arrows.u, arrows.v), 1) / shown["arrows"].layout.meta["scale"]
    np.testing.assert_allclose(drawn, -gradient[arrows.customdata], atol=1e-9)


def test_hard_bins_have_no_arrows_and_captions_name_them(shown: Shown) -> None:
    app = opened(scene="overlapping", fastap__kind="hard")
    shown_words = words(app)
    assert all("hard bins" in data["recipe"]["caption"] for data in given(app) if "recipe" in data)
    assert "hard ones have no gradient" in shown_words
    assert r"\#\{k:" in shown_words
    assert FastAP.formula not in shown_words
    assert not any(len(trace.x) for trace in shown["arrows"].data if trace.type == "quiver")


SAID = {
    "Collapse": ["12 points are one point", "0.727 = 1 − N⁺/(N − 1) = 1 − 3/11", "longest arrow is 0:"],
    "Too few bins": ["exact AP = 1.000", "FastAP = 0.818", "2Δ = 2"],
    "Dead gradient": ["loss is 0 and 12 of 12 points have a gradient of exactly 0", "2Δ = 0.8"],
    "Wrong way": ["3 of 3 positives are pushed away", "to 0.300 in the last"],
    "A class of one": ["N⁺ = 0", "M = 8 of 9 queries"],
    "No positives": ["M = 0 of 6 queries", "defined as 0"],
    "Many bins": ["With 100 bins", "points have no slope"],
    "Half the range": ["27% of the positive pairs lie outside every bin"],
}


@pytest.mark.parametrize("label", [preset.label for preset in PRESETS])
def test_a_preset_takes_one_click_and_explains_what_happened(shown: Shown, label: str) -> None:
    app = opened(scene="antipodal", fastap__kind="hard")
    app.button(key=f"break.{label}").click()
    ran(app)
    [note] = app.info
    for number in SAID[label]:
        assert number in note.value
    assert set(shown) == NAMES
    app.session_state["fastap.bins"] = 50
    ran(app)
    assert app.info[0].value == f"Before your changes. {note.value}"  # it is no longer that preset


def test_a_link_to_a_broken_state_says_so_too(shown: Shown) -> None:
    app = opened(scene="collapsed")
    assert "1 − 3/11" in app.info[0].value


def test_the_published_backward_is_measured(shown: Shown) -> None:
    assert "**6.500** times the true one, cosine 1.000000; M/2 = 6.5 for M = 13 queries" in words(opened())
    assert "its gradient is 0, and so is the true one" in words(opened(scene="separated"))


def test_every_pitfall_of_the_loss_is_shown(shown: Shown) -> None:
    text = words(opened())
    assert len(about(("fastap",))) == 8
    for pitfall in about(("fastap",)):
        assert f"| **{pitfall.title}.** {pitfall.claim} | {pitfall.answer}" in text
    assert text.count("**On these points**") == 4


def test_half_the_range_is_measured_on_any_scene(shown: Shown) -> None:
    app = opened(scene="antipodal")
    assert "**67%** of the positive pairs outside every bin" in words(app)


def test_a_query_past_the_end_of_a_smaller_scene_becomes_the_first(shown: Shown) -> None:
    app = opened(scene="overlapping", fastap__query="12")
    app.session_state["fastap.scene"] = "no two of a class"
    ran(app)
    assert app.session_state["fastap.query"] == 0


def test_a_scene_placed_by_hand_comes_by_its_link(shown: Shown) -> None:
    app = opened(fastap__at="a10_70b40", fastap__query="1")
    assert "placed by hand" in words(app)
    assert r"the query is \#1 (class A)" in words(app)


@pytest.mark.parametrize(("bad", "nearest"), [("0", 4), ("101", 100), ("1e9", 100), ("nan", 10), ("ten", 10)])
def test_invalid_bins_give_the_nearest_or_the_default_and_a_sentence(shown: Shown, bad: str, nearest: int) -> None:
    app = opened(fastap__bins=bad)
    assert app.slider(key="fastap.bins").value == nearest
    assert any("bins" in warning.value for warning in app.warning)


@pytest.mark.parametrize("dim", [2, 3, 8, 64])
def test_a_step_of_a_run_is_shown_in_any_dimension(shown: Shown, monkeypatch: pytest.MonkeyPatch, dim: int) -> None:
    monkeypatch.setattr(subject_picker, "choose_subject", points_of_run(dim))
    app = opened(fastap__query="499", fastap__bins="100")
    assert set(shown) == NAMES
    assert "500 points" in words(app)
    assert "on 39 of the 500 points" in words(app)
    if dim > 3:
        [share] = [note.text for note in shown["arrows"].layout.annotations if "shows" in note.text]
        assert re.search(rf"a fixed plane of the {dim} dimensions shows \d+% of the gradient", share)


def test_a_view_of_few_points_is_computed_once_for_all(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(scene="overlapping", fastap__bins="61")
    assert set(shown) == NAMES
    monkeypatch.setattr(
        sys.modules["dml_viz.explain.fastap.model"], "histograms_of_batch", lambda *_: pytest.fail("computed again")
    )
    ran(app)
    assert set(shown) == NAMES
    assert len(preset_embeddings("overlapping").y) <= FEW < 500


@pytest.mark.parametrize(
    ("scene", "top", "says"),
    [
        ("a0_10b350_180", 4.0, "This ranking is not perfect, so no number of bins ends it."),  # a tie is no gap
        ("a0_100b150_165_180", 2.0, "The farthest positive lies beyond the last bin, so no number of bins ends it."),
        ("a0_90b150", 2.0, "done for certain from 3 bins on: then two fit into its gap of 1.73."),
        ("a0_90", 4.0, "as the teeth go on."),
    ],
)
def test_a_number_of_bins_is_named_only_where_one_is_enough(scene: str, top: float, says: str) -> None:
    model = Model(Scene.read(scene).subject(), Settings(0, Binning(10, top=top)))
    assert bins_look_for(model).endswith(says)
    assert ("no number of bins" in bins_title(model)) == ("beyond" in says)
