"""The page of methods: its numbers are those of the losses, of the methods and of the recorded runs."""

import itertools
import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from dml_viz.embedding.scene import SCENES, preset_embeddings
from dml_viz.engine.members import METRICS
from dml_viz.engine.results import recorded_results
from dml_viz.explain.beyond_one_loss import ROOM, text
from dml_viz.explain.beyond_one_loss.model_compared import gains
from dml_viz.explain.beyond_one_loss.model_training import (
    OFFERED,
    OPENING,
    SEEDS,
    Settings,
    coded_sweep,
    plain_run_for,
    race_of,
    recorded_sweeps,
)
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.triplet import Triplet
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.prediction import RIGHT
from dml_viz.room.run_form import run_form
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from dml_viz.serve.figure_store import prediction_models
from dml_viz.training.first_steps import digest
from dml_viz.training.loop import advance, begin
from dml_viz.training.methods import METHODS
from dml_viz.training.methods.codes import Codes
from dml_viz.training.methods.density import Density
from dml_viz.training.methods.divide import Divide
from dml_viz.training.methods.learnt_sampler import LearntSampler
from dml_viz.training.methods.tree import Tree
from tests.samples import for_each, pairs_of
from tests.shown import opened, words

PAGE = "84_beyond_one_loss.py"


def settings_of(name: str) -> Settings:
    method = METHODS[name]()
    return Settings(method, plain_run_for(method).loss)


@for_each("name", OFFERED)
def test_the_runs_of_a_method_are_recorded_and_the_sentences_have_their_numbers(name: str) -> None:
    settings = settings_of(name)
    assert settings.sweep in recorded_sweeps()
    model = ROOM.model(preset_embeddings("separated"), settings)
    results = [recorded_results().by_digest[digest(run)] for run in settings.sweep.runs]
    verdict, drawn = text.verdict(model), ROOM.figures["effect"](model, Display())
    for place, (score, column) in enumerate((("map", "map.unseen"), ("r1", "r1.unseen"))):
        at = METRICS.index(column)
        ends = np.array([result.rows[-1, 1 + at] for result in results]).reshape(SEEDS, 2).astype(np.float64)
        effect = model.comparison.effects[score]
        assert np.allclose(effect.by_block, ends)
        paragraph = verdict.split("\n\n")[place]
        for number in (*ends.mean(0), abs(np.diff(ends.mean(0))[0])):
            assert f"{number:.3f}" in paragraph
        assert ("no effect" in paragraph.partition("Means")[0] or "cannot tell" in paragraph) == (not effect.matters)
        lines = drawn.data[place * (SEEDS + 1) : (place + 1) * (SEEDS + 1) - 1]
        assert np.allclose([trace.y for trace in lines], ends)
        again = np.array([result.again[at] for result in results]).reshape(SEEDS, 2)
        assert f"up to {np.abs(again - ends).max():.3f} apart" in paragraph
        turns = model.comparison.effects_with_other_rounding[score].matters != effect.matters
        assert ("The verdict turns" in paragraph) >= turns


def test_what_is_compared_differs_in_one_thing() -> None:
    for name in OFFERED:
        settings = settings_of(name)
        without, own = settings.sweep.runs[:2]
        assert own == replace(settings.run, every=own.every)
        if settings.method.replaces_loss:  # beside the plain run the loss would differ, too
            assert type(without.method) is type(own.method)
            changed = [knob for knob in vars(own.method) if vars(own.method)[knob] != vars(without.method)[knob]]
            assert changed == [settings.baseline.knob]  # type: ignore[union-attr]
        else:
            assert replace(without, method=own.method) == own
        raced = race_of(settings)
        assert [replace(raced.run_of(k), every=0) for k in range(2)] == [replace(run, every=0) for run in (without, own)]


def test_the_page_says_how_many_comparisons_it_makes() -> None:
    model = ROOM.model(preset_embeddings("separated"), settings_of("tree"))
    every = [ROOM.model(preset_embeddings("separated"), settings_of(name)).comparison for name in OFFERED]
    matter = sum(effect.p < 0.05 for each in every for effect in each.effects.values())
    said = text.comparison_count(model)
    assert f"11 methods and 2 scores make 22 comparisons, {matter} of which matter" in said
    assert "about 1.1 would" in said
    assert "below 0.23" in said
    assert f"less than {100 / 2**7:.2g}" in said


def may_be_said_otherwise(method: str) -> bool:
    """Whether other rounding may move the method from those that score higher, or lower, or to them."""
    effects = ROOM.model(preset_embeddings("separated"), settings_of(method)).comparison
    says = []
    for turned in range(2 ** len(effects.effects)):
        higher = lower = False
        for place, (score, effect) in enumerate(effects.effects.items()):
            again = effects.effects_with_other_rounding[score]
            near = effect.matters != again.matters or 0.01 < effect.p < 0.25 or 0.01 < again.p < 0.25
            matters = effect.matters ^ (near and bool(turned >> place & 1))
            higher |= bool(matters and effect.means[1] > effect.means[0])
            lower |= bool(matters and effect.means[1] < effect.means[0])
        says.append((higher, lower))
    return len(set(says)) > 1


def test_the_page_opens_on_the_method_that_gains_the_most_by_more_than_chance_and_says_how_many_do() -> None:
    sure = {gain.method: gain.by for gain in gains() if gain.score == "map" and gain.matters}
    assert max(sure, key=sure.__getitem__) == OPENING
    assert sure[OPENING] > 0
    app = opened(PAGE, {})
    assert dict(app.query_params) == {"method": OPENING}
    lower = {gain.method for gain in gains() if gain.matters and gain.by < 0}
    higher = {gain.method for gain in gains() if gain.matters and gain.by > 0}
    said = words(app)
    assert f"Of 11 methods here, {len(higher)} scored higher than without it by more than chance (Three levels)" in said
    assert f"{len(lower)} lower, by mAP or by R@1, and the other {11 - len(lower | higher)} no different" in said
    near = {name for name in OFFERED if may_be_said_otherwise(name)}
    assert 0 < len(near) < len(OFFERED)
    assert f"For {len(near)} of the 11 that is close: another processor may turn it." in said
    assert opened(PAGE, {"beyond.step": "10"}).selectbox(key="method").value == "tree", "as in older links"


def test_a_method_that_replaces_the_loss_offers_none() -> None:
    link = {"method": "few_proxies", "beyond.loss": "contrastive", "beyond.score": "r1"}
    app = opened(PAGE, link)
    assert not [box for box in app.selectbox if box.key == "beyond.loss"]
    assert "There is no choice of a loss" in words(app)
    app = opened(PAGE, {"method": "tree"})
    assert [box for box in app.selectbox if box.key == "beyond.loss"]
    start = plain_run_for(METHODS["few_proxies"]())
    for method in (METHODS["few_proxies"](), METHODS["density"]()):
        ends = [
            advance(run, begin(run), 3)[0].weights.value
            for loss in (start.loss, Contrastive())
            for run in (replace(start, method=method, loss=loss, steps=3),)
        ]
        assert np.array_equal(*ends)


def test_no_sentence_concludes_from_runs_that_are_not_recorded() -> None:
    model = ROOM.model(preset_embeddings("separated"), Settings(Tree("nearest"), Contrastive()))
    assert not model.comparison.effects
    told = "8 of the 16 runs of this comparison are recorded, those without the method."
    assert text.verdict(model) == f"{told} Train one pair of them below, or all on Sweep."
    fig = ROOM.figures["effect"](model, Display())
    assert fig.layout.meta["alt"] == told
    plain = ROOM.model(preset_embeddings("separated"), Settings(Tree(), Contrastive())).comparison
    for trace, effect in zip(fig.data, plain.effects.values(), strict=True):
        assert set(trace.y) == set(effect.by_block[:, 0])


def test_captions_of_trained_runs_say_what_was_trained_and_name_no_scene() -> None:
    for name, loss in (("tree", "Contrastive, "), ("few_proxies", "")):
        settings = settings_of(name)
        for figure, caption in ROOM.captions_by_figure(settings).items():
            compared, trained = caption.split("; ", 1)
            assert compared.startswith(f"{settings.baseline_name} against {type(settings.method).title}")
            assert trained.startswith(f"Glyphs, MLP, 64 dimensions, {loss}300 steps; seeds 0 to 7")
            assert bool(ROOM.losses_by_figure(settings)[figure]) == bool(loss)


@for_each(("name", "scene"), pairs_of(OFFERED, SCENES) + pairs_of(OFFERED, [*SCENES][::-1]))
def test_a_picture_draws_what_loss_and_method_compute(name: str, scene: str) -> None:
    embeddings = preset_embeddings(scene)
    model = ROOM.model(embeddings, replace(settings_of(name), step=3))
    for figure, side in (("plain", model.under_plain_loss), ("method", model.under_method)):
        fig = ROOM.figures[figure](model, Display("light", tuple("ABCDEF"), tuple(embeddings.y.tolist())))
        assert np.isfinite(side.arrows).all()
        arrows = [trace for trace in fig.data if trace.name.startswith("arrows")]
        slices = model.slices if figure == "method" else (np.arange(side.arrows.shape[1]),)
        assert len(arrows) == len(slices)
        for trace, columns in zip(arrows, slices, strict=True):
            longest = np.hypot(trace.u, trace.v).max(initial=0)
            expected = np.linalg.norm(side.arrows[:, columns], axis=1).max()
            assert longest == pytest.approx(fig.layout.meta["scale"] * expected)
    if not model.draws_batches:
        expected = -model.settings.loss.gradient(embeddings.z, embeddings.y)
        assert np.allclose(model.under_plain_loss.arrows, expected)
    go.Figure(fig.to_dict())


def test_a_method_of_slices_shows_which_slice_its_batch_trains() -> None:
    embeddings, came = preset_embeddings("two modes in one class"), []
    for step in range(4):
        model = ROOM.model(embeddings, Settings(Divide(clusters=2), Contrastive(), step))
        assert np.allclose(np.linalg.norm(model.method_rows, axis=1), 1)
        fig = ROOM.figures["method"](model, Display("light", tuple("ABCDEF"), tuple(embeddings.y.tolist())))
        assert [note.text for note in fig.layout.annotations[:2]] == ["slice 1", "slice 2"]
        first, second = (trace for trace in fig.data if trace.name.startswith("arrows"))
        came.append((len(first.u) > 0, len(second.u) > 0))
        centres = [(shape.x0 + shape.x1) / 2 for shape in fig.layout.shapes]
        for trace, centre in ((first, centres[0]), (second, centres[1])):
            assert all(abs(x - centre) <= 1 + 1e-9 for x in trace.x)
        assert f"slice {2 if came[-1][1] else 1}." in text.look_for(model)
    assert came == [(True, False), (False, True)] * 2, "clusters take turns"
    joined = ROOM.model(embeddings, Settings(Divide(clusters=2), Contrastive(), 30))
    assert "every slice" in text.look_for(joined)
    levels = ROOM.model(embeddings, replace(settings_of("levels"), step=0))
    assert not levels.moves_as_plain_loss
    assert all(levels.under_method.arrows[:, columns].any() for columns in levels.slices)
    for method, why in (
        (Divide(clusters=8), "no cluster has two classes of two points"),
        (Divide(clusters=2, joint=1.0, together=0.0), "*all images from* (0) is reached"),
    ):
        said = text.look_for(ROOM.model(embeddings, Settings(method, Contrastive(), 0)))
        assert f"6 of 11 points, trains every slice: {why}, so the batch is drawn from the points of all clusters." in said


def test_each_slice_of_a_code_is_drawn_with_its_codewords() -> None:
    embeddings = preset_embeddings("overlapping")
    model = ROOM.model(embeddings, Settings(Codes(parts=3, words=5), Contrastive(), 20))
    fig = ROOM.figures["method"](model, Display("light", tuple("ABCDEF"), tuple(embeddings.y.tolist())))
    assert [note.text for note in fig.layout.annotations[:3]] == ["slice 1", "slice 2", "slice 3"]
    edges, words = model.under_method.marks
    drawn = [trace for trace in fig.data if trace.name == words.name]
    assert words.name == "5 codewords of each slice"
    for columns, trace, shape in zip(model.slices, drawn, fig.layout.shapes, strict=True):
        centre = np.array([(shape.x0 + shape.x1) / 2, (shape.y0 + shape.y1) / 2])
        assert np.allclose(np.stack((trace.x, trace.y), 1) - centre, words.at[:, columns] * 3**0.5)
        for row, word in edges.at[:, :, columns]:
            apart = np.linalg.norm(words.at[:, columns] - row, axis=1)
            assert np.linalg.norm(word - row) == pytest.approx(apart.min())
    lost = ((edges.at[:, 0] - edges.at[:, 1]) ** 2).sum(1).mean()
    assert f"becomes {3 * np.log2(5):.3g} bits, and moves by {lost:.3g} squared" in text.look_for(model)


def test_the_table_of_a_learnt_sampler_has_its_shares_and_its_active_triplets() -> None:
    embeddings = preset_embeddings("overlapping")
    shown = Display("light", tuple("ABC"), tuple(embeddings.y.tolist()))
    model = ROOM.model(embeddings, Settings(LearntSampler(), Triplet(), 60))
    assert model.learnt_class_sampling is not None
    z, y = embeddings.z, embeddings.y
    for first, other in itertools.permutations(range(3), 2):
        rewards = [math.exp(model.under_method.memory["policy"][first, k]) for k in range(3)]
        assert model.learnt_class_sampling.shares[first, other] == pytest.approx(rewards[other] / (sum(rewards) - rewards[first]))
        triplets = [
            (z[a] - z[p]).square().sum() - (z[a] - z[n]).square().sum() + 0.2 > 0
            for a, p, n in itertools.product(range(len(y)), repeat=3)
            if a != p and y[a] == y[p] == first and y[n] == other
        ]
        assert model.learnt_class_sampling.active[first, other] == pytest.approx(sum(map(float, triplets)) / len(triplets))
    fig = ROOM.figures["policy"](model, shown)
    go.Figure(fig.to_dict())
    for trace, table in zip(fig.data, model.learnt_class_sampling, strict=True):
        assert np.allclose(trace.z, 100 * table, equal_nan=True)
        assert list(trace.x) == list(trace.y) == ["A", "B", "C"]
    assert model.learnt_class_sampling.shares[0, 1] > 0.5 > model.learnt_class_sampling.shares[0, 2], (
        "classes that overlap are drawn together"
    )
    at_first = ROOM.model(embeddings, Settings(LearntSampler(), Triplet(), 0))
    assert "more often than the rest yet" in text.claim_on_learnt_sampling(at_first)
    assert f"{model.learnt_class_sampling.shares[~np.eye(3, dtype=bool)].max():.0%}" in text.claim_on_learnt_sampling(model)
    assert ROOM.model(embeddings, settings_of("tree")).learnt_class_sampling is None


@pytest.mark.parametrize("name", ["signatures", "learnt_sampler"])
def test_the_mean_loss_over_draws_is_that_of_each_step_s_batch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    embeddings = preset_embeddings("overlapping")
    with monkeypatch.context() as patch:
        patch.setattr("dml_viz.explain.beyond_one_loss.model.STEPS", 15)  # a model at a step draws every step before it
        short = ROOM.model(embeddings, settings_of(name))
        models = [ROOM.model(embeddings, replace(short.settings, step=step)) for step in range(15)]
        values = [(model.under_plain_loss.value, model.under_method.value) for model in models]
        assert short.mean_losses_over_draws == pytest.approx(tuple(np.mean(values, axis=0)))
    model = ROOM.model(embeddings, settings_of(name))
    before, own = model.mean_losses_over_draws
    assert own > before, "near classes are drawn together"
    assert f"it is {own:.3g} on average, and {before:.3g} with plain" in text.look_for(model)
    idle = ROOM.model(preset_embeddings("separated"), settings_of(name))
    assert "moves no point of this scene" in text.look_for(idle)
    assert "moves no point" not in text.look_for(model)


def test_the_page_says_what_a_method_lacks_on_points() -> None:
    separated = preset_embeddings("separated")
    said = {name: text.look_for(ROOM.model(separated, settings_of(name))) for name in OFFERED}
    assert [name for name in OFFERED if "nothing is generated" in said[name]] == ["hdml"]
    assert [name for name in OFFERED if "No teacher is trained" in said[name]] == ["teacher"]
    by = [text.look_for(ROOM.model(separated, Settings(Divide(by=each), Contrastive()))) for each in ("features", "categories")]
    assert ["no categories" in each for each in by] == [False, True]


@pytest.mark.parametrize("name", ["codes", "divide", "levels"])
def test_other_ways_to_search_are_drawn_beside_whole_rows_of_the_same_runs(name: str) -> None:
    model = ROOM.model(preset_embeddings("separated"), settings_of(name))
    found, drawn = model.comparison.ways, ROOM.figures["ways"](model, Display())
    go.Figure(drawn.to_dict())
    run = coded_sweep().runs[-1] if name == "codes" else model.settings.sweep.runs[-1]
    result = recorded_results().by_digest[digest(run)]
    rows = [result.rows[-1, 1 + METRICS.index(column)] for column in ("map.unseen", "r1.unseen")]
    whole = [way for way in found if way.name == "whole rows"][-1]
    assert np.allclose(whole.scores[-1], rows)
    other = found[-1]
    assert np.allclose(other.scores[-1], list(result.ways[other.name].values()))
    heights = np.concatenate([np.array(trace.y, float) for trace in drawn.data])
    for way in found:
        for mean in way.scores.mean(0):
            assert np.isclose(heights, mean).any()
    if name == "codes":
        bits = {(way.words, way.bits) for way in found}
        assert bits == {(k, m * np.log2(k)) for m in (1, 2, 4, 8) for k in (4, 16, 64)}
        (best,) = [w for w in found if w.name == "codes" and w.bits == 48]
        (exact,) = [w for w in found if w.name != "codes" and w.bits == 48]
        assert f"{100 * best.scores[:, 0].mean() / exact.scores[:, 0].mean():.0f} %" in text.claim_on_ways(model)
        assert best.scores[:, 0].mean() < exact.scores[:, 0].mean()


def test_codes_find_nearest_codewords_part_by_part() -> None:
    z = torch.nn.functional.normalize(torch.randn(9, 7, generator=torch.Generator().manual_seed(0)), dim=1)
    words = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(1))
    rebuilt = Codes(parts=3, words=4).rebuilt(z, words)
    for row, own in zip(z, rebuilt, strict=True):
        for part in range(3):
            piece = row[2 * part : 2 * part + 2]
            nearest = min(words[part], key=lambda word: float((word - piece).square().sum()))
            assert torch.equal(own[2 * part : 2 * part + 2], nearest)
        assert own[6] == 0


def test_marks_are_drawn_where_they_are() -> None:
    embeddings = preset_embeddings("an outlier")
    method = Density(radius=0.8)
    model = ROOM.model(embeddings, Settings(method, Contrastive()))
    fig = ROOM.figures["method"](model, Display("dark", tuple("ABC"), tuple(embeddings.y.tolist())))
    [trace] = [trace for trace in fig.data if trace.name == "its dense centre"]
    assert np.allclose(np.stack((trace.x, trace.y), 1), method.dense_centres(embeddings.z, embeddings.y, 3))
    rows = embeddings.z[:3]  # those of the first class that are together
    assert np.allclose(torch.tensor([trace.x[0], trace.y[0]]), rows.sum(0) / rows.sum(0).norm())


@pytest.mark.parametrize("preset", ROOM.presets, ids=lambda preset: preset.label)
def test_a_preset_shows_what_it_says(preset: object) -> None:
    link = {key: str(value) for key, value in preset.settings.items()}  # type: ignore[attr-defined]
    reader = LinkReader(link)
    assert isinstance(ROOM.source, Points)
    model = ROOM.model(*ROOM.batch(reader, Subject(scene=ROOM.source.scene(reader))))
    sentence = preset.says(model)  # type: ignore[attr-defined]
    assert len(sentence) > 40
    if preset.label == "A class in two places":  # type: ignore[attr-defined]
        assert f"{max(math.hypot(*arrow) for arrow in model.under_method.arrows.tolist()):.3g} with the method" in sentence
    if preset.label == "Harder negatives":  # type: ignore[attr-defined]
        apart = [math.dist(*ends) for ends in model.under_method.marks[0].at.tolist()]
        assert f"{sum(apart) / len(apart):.3g} away from the real ones on average" in sentence
    assert model.moves_as_plain_loss == (preset.label == "Nothing to choose from")  # type: ignore[attr-defined]


@pytest.mark.parametrize("asked", ROOM.predictions, ids=lambda asked: asked.name)
def test_predictions_have_a_truth(asked: object) -> None:
    before, after = prediction_models(ROOM, asked)  # type: ignore[arg-type]
    by = asked.by(before) if callable(asked.by) else asked.by  # type: ignore[attr-defined]
    truth = by.read(asked.truth(before, after))  # type: ignore[attr-defined]
    assert by.judge(truth, truth) == RIGHT


def test_the_page_leads_to_training_and_to_a_sweep_with_the_method() -> None:
    app = opened(PAGE, {"method": "density", "method.density.radius": "0.5"})
    page_text = words(app)
    assert "runs of this comparison are recorded" in page_text
    assert "reconstructed from the abstract" in page_text
    link = page_text.partition("](train?")[2].partition(")")[0]
    run = run_form(LinkReader(dict(part.split("=") for part in link.replace("+", " ").split("&"))))
    assert run == replace(plain_run_for(Density()), method=Density(radius=0.5))
