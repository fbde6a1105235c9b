"""The page of methods: its numbers are those of the losses, of the methods and of the recorded runs."""

import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from dml_viz.app.link_reader import LinkReader
from dml_viz.app.predictions import of_room
from dml_viz.app.run_settings import run_settings
from dml_viz.embedding.scene import SCENES, preset_embeddings
from dml_viz.engine.sweeps import digest, recorded
from dml_viz.explain.beyond_one_loss import ROOM, text
from dml_viz.explain.beyond_one_loss.model_training import OFFERED, SEEDS, Settings, recorded_sweeps, start_of
from dml_viz.losses.contrastive import Contrastive
from dml_viz.plot.display import Display
from dml_viz.training.methods import METHODS
from dml_viz.training.methods.density import Density
from dml_viz.training.methods.tree import Tree
from tests.shown import opened, words

PAGE = "84_beyond_one_loss.py"


def settings_of(name: str) -> Settings:
    method = METHODS[name]()
    return Settings(method, start_of(method).loss)


@pytest.mark.parametrize("name", OFFERED)
def test_the_runs_of_a_method_are_recorded_and_the_sentence_has_their_numbers(name: str) -> None:
    settings = settings_of(name)
    assert settings.sweep in recorded_sweeps()
    ends = np.array([recorded()[digest(run)].rows[-1, 1] for run in settings.sweep.runs]).reshape(SEEDS, 2)  # mAP
    model = ROOM.model(preset_embeddings("separated"), settings)
    assert np.allclose(model.scores, ends.T)
    assert model.effect is not None
    verdict = text.verdict(model)
    for number in (*ends.mean(0), abs(np.diff(ends.mean(0))[0])):
        assert f"{number:.3f}" in verdict
    assert ("no effect" in verdict or "cannot tell" in verdict) == (not model.effect.matters)
    drawn = ROOM.figures["effect"](model, Display())
    assert np.allclose([trace.y for trace in drawn.data[:-1]], ends)


def test_no_sentence_concludes_from_runs_that_are_not_recorded() -> None:
    model = ROOM.model(preset_embeddings("separated"), Settings(Tree("nearest"), Contrastive()))
    assert model.effect is None
    assert "not recorded" in text.verdict(model)
    assert not ROOM.figures["effect"](model, Display()).data


@pytest.mark.parametrize("scene", [*SCENES])
@pytest.mark.parametrize("name", OFFERED)
def test_a_picture_draws_what_loss_and_method_compute(name: str, scene: str) -> None:
    embeddings = preset_embeddings(scene)
    model = ROOM.model(embeddings, replace(settings_of(name), step=3))
    for figure, side in (("plain", model.plain), ("method", model.side)):
        fig = ROOM.figures[figure](model, Display("light", tuple("ABCDEF"), tuple(embeddings.y.tolist())))
        assert np.isfinite(side.arrows).all()
        [arrows] = [trace for trace in fig.data if trace.name == "arrows"]
        longest = np.hypot(arrows.u, arrows.v).max(initial=0)
        assert longest == pytest.approx(fig.layout.meta["scale"] * np.linalg.norm(side.arrows, axis=1).max())
    if not model.draws:
        expected = -model.settings.loss.gradient(embeddings.z, embeddings.y)
        assert np.allclose(model.plain.arrows, expected)
    go.Figure(fig.to_dict())


def test_marks_are_drawn_where_they_are() -> None:
    embeddings = preset_embeddings("an outlier")
    method = Density(radius=0.8)
    model = ROOM.model(embeddings, Settings(method, Contrastive()))
    fig = ROOM.figures["method"](model, Display("dark", tuple("ABC"), tuple(embeddings.y.tolist())))
    [trace] = [trace for trace in fig.data if trace.name == "its dense centre"]
    assert np.allclose(np.stack((trace.x, trace.y), 1), method.centres(embeddings.z, embeddings.y, 3))
    rows = embeddings.z[:3]  # those of the first class that are together
    assert np.allclose(torch.tensor([trace.x[0], trace.y[0]]), rows.sum(0) / rows.sum(0).norm())


@pytest.mark.parametrize("preset", ROOM.presets, ids=lambda preset: preset.label)
def test_a_preset_shows_what_it_says(preset: object) -> None:
    link = {key: str(value) for key, value in preset.settings.items()}  # type: ignore[attr-defined]
    scene, settings = of_room.read_scene(ROOM, LinkReader(link))
    model = ROOM.model(scene.scene.subject(""), settings)
    sentence = preset.says(model)  # type: ignore[attr-defined]
    assert len(sentence) > 40
    if preset.label == "A class in two places":  # type: ignore[attr-defined]
        assert f"{max(math.hypot(*arrow) for arrow in model.side.arrows.tolist()):.3g} with the tree" in sentence
    if preset.label == "Harder negatives":  # type: ignore[attr-defined]
        apart = [math.dist(*ends) for ends in model.side.marks[0].at.tolist()]
        assert f"{sum(apart) / len(apart):.3g} away from the real ones on average" in sentence
    assert model.unchanged == (preset.label == "Nothing to choose from")  # type: ignore[attr-defined]


@pytest.mark.parametrize("asked", ROOM.predictions, ids=lambda asked: asked.name)
def test_predictions_have_a_truth(asked: object) -> None:
    before, after = of_room.models(ROOM, asked)  # type: ignore[arg-type]
    by = asked.by(before) if callable(asked.by) else asked.by  # type: ignore[attr-defined]
    truth = by.read(asked.truth(before, after))  # type: ignore[attr-defined]
    assert by.right(truth, truth)


def test_the_page_leads_to_training_and_to_a_sweep_with_the_method() -> None:
    app = opened(PAGE, {"method": "density", "method.density.radius": "0.5"})
    page_text = words(app)
    assert "not recorded" in page_text
    assert "reconstructed from the abstract" in page_text
    link = page_text.partition("](train?")[2].partition(")")[0]
    run = run_settings(LinkReader(dict(part.split("=") for part in link.replace("+", " ").split("&"))))
    assert run == replace(start_of(Density()), method=Density(radius=0.5))
