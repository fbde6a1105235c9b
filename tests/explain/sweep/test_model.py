"""The results of a sweep: against a separate permutation test, for a knob without effect and for one that matters."""

import re
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from dml_viz.engine.members import METRICS
from dml_viz.engine.results import Result
from dml_viz.explain.sweep import ROOM
from dml_viz.explain.sweep.model import Model, Settings, SweepScores
from dml_viz.explain.sweep.settings import PRESETS, settings_of, sweep_settings
from dml_viz.explain.sweep.text import MISLEADS, duration_in_words, verdict
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.run_form import run_form, run_link
from dml_viz.room.source import Subject
from dml_viz.training.effects import LEVEL, Effect, differences_by_chance
from dml_viz.training.loop import Run
from dml_viz.training.sweep import LOOKS
from tests.fake_training import read_sweep
from tests.samples import THOROUGH, for_each

SIX = read_sweep(Run(), ["loss.bins:4_5_10_25_50_100"], 5)
CROSSED = read_sweep(Run(), ["loss.bins:4_10_25", "lr:0.001_0.01"], 2)
MAP = METRICS.index("map.unseen")


def modelled(scores: Any, sweep: Any = SIX, **more: Any) -> Model:
    """The model of a sweep whose runs end at ``scores`` (cells, seeds)."""
    scores = np.asarray(scores, np.float32)
    table = np.zeros((*scores.shape, 1 + LOOKS, len(METRICS)), np.float32) + scores[..., None, None]
    return Model(Settings(sweep, SweepScores(table), **more))


def levels(seed: int = 0, spread: float = 0.03) -> np.ndarray:
    """The level of each seed, (1, 5)."""
    return 0.25 + spread * np.random.default_rng(seed).standard_normal((1, 5))


def share_of_orders(scores: np.ndarray) -> float:
    """The share of all orders within the seeds, tried one by one, in which values (V, S) differ at least as much."""
    count, seeds = scores.shape

    def moved(columns: Any) -> float:
        means = [sum(column[value] for column in columns) / seeds for value in range(count)]
        return max(means) - min(means)

    columns = [list(scores[:, seed]) for seed in range(seeds)]
    every = [list(permutations(column)) for column in columns]
    found = [moved(chosen) >= moved(columns) - 1e-9 for chosen in product(*every)]
    return sum(found) / len(found)


@for_each("seed", range(4))
@for_each(("values", "seeds"), [(2, 5), (3, 3), (3, 4), (4, 2)])
def test_the_share_of_shuffles_agrees_with_all_orders_taken_one_by_one(seed: int, values: int, seeds: int) -> None:
    scores = np.random.default_rng(seed).random((values, seeds)) + np.linspace(0, seed / 6, values)[:, None]
    effect = Effect("", tuple(range(values)), True, scores.T, differences_by_chance(scores.T))
    exact = share_of_orders(scores)
    # Four standard deviations of so many shuffles.
    assert effect.p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / len(effect.shuffled)) + 4e-4)


@pytest.mark.parametrize("seed", range(5))
def test_a_knob_that_does_nothing_has_no_effect_and_no_best_value(seed: int) -> None:
    dummy = modelled(np.repeat(levels(seed), 6, 0))
    (effect,) = dummy.effects
    assert (effect.difference, effect.p, effect.best) == (pytest.approx(0, abs=1e-7), 1.0, None)
    assert "**no effect**" in verdict(dummy)


def test_two_seeds_of_a_map_can_tell_an_effect_from_chance() -> None:
    by_value, other, by_seed = 0.1 * np.arange(3)[:, None, None], 0.01 * np.arange(2)[:, None], 0.001 * np.arange(2)
    model = modelled((by_value + other + by_seed).reshape(6, 2), CROSSED)
    effect, _ = model.effects
    assert (effect.levels, effect.least_p) == (2, 1 / 6**3)
    assert effect.matters
    assert "each seed and value of the other knob" in verdict(model)
    (key,) = ROOM.figures["chance"](model, Display()).layout.annotations
    lines = re.sub("<span.*?</span>", "", key.text).split("<br>")
    assert max(map(len, lines)) < 60, "a line fits into a figure on a phone"
    assert "So few seeds" not in verdict(model).split("\n\n")[0]


def test_of_knobs_without_effect_few_are_called_effective() -> None:
    rng = np.random.default_rng(0)
    called = [modelled(levels(k) + 0.02 * rng.standard_normal((6, 5))).effects[0].matters for k in range(100)]
    assert sum(called) <= 11  # 5 expected; more than 11 once in a hundred times


def test_chance_is_taken_for_an_effect_more_often_where_values_spread_unequally_and_the_page_says_so() -> None:
    rng = np.random.default_rng(0)
    called = {}
    for name, spreads in (("equal", np.ones(4)), ("unequal", np.geomspace(0.1, 1, 4))):
        tried = (rng.standard_normal((5, 4)) * spreads for _ in range(400))
        called[name] = np.mean([Effect("", (0, 1, 2, 3), True, one, differences_by_chance(one)).matters for one in tried])
    assert called["equal"] == pytest.approx(LEVEL, abs=0.025)
    assert 1.5 * LEVEL < called["unequal"] < 3 * LEVEL
    assert "in 5% of sweeps, and about twice as often where values spread unequally" in MISLEADS


@pytest.mark.parametrize("seed", range(5))
def test_a_knob_that_matters_is_not_called_no_effect_though_seeds_differ_by_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    peak = -0.012 * np.abs(np.arange(6) - 2)[:, None]
    model = modelled(levels(seed, 0.08) + peak + 0.002 * rng.standard_normal((6, 5)))
    (effect,) = model.effects
    assert effect.matters
    assert effect.difference < effect.seed_difference
    assert effect.best == 2
    assert "it matters. Best: **10**" in verdict(model)
    assert "6 values looked at, 5 seeds" in verdict(model)
    assert "it matters. Highest: **10**" in verdict(Model(replace(model.settings, score="active")))


def test_a_value_is_best_only_where_its_interval_excludes_its_neighbours() -> None:
    scores = np.repeat(levels(), 6, 0) + 0.1 * (np.arange(6) >= 3)[:, None]
    scores[4] += [0.01, -0.01, 0.01, -0.008, 0.0]
    (effect,) = modelled(scores).effects
    assert effect.matters
    assert effect.best is None
    assert "No value is clearly ahead of those next to it" in verdict(modelled(scores))


def test_too_few_seeds_are_reported() -> None:
    one = read_sweep(Run(), ["loss.bins:4_10"], 1)
    said = verdict(modelled([[0.2], [0.4]], one))
    assert "moves mAP by 0.200.** One seed cannot tell" in said
    assert "that of the seed" not in said
    few = read_sweep(Run(), ["sampler.samples:2_8_32"], 3)
    model = modelled([[0.18, 0.17, 0.15], [0.33, 0.29, 0.33], [0.34, 0.29, 0.32]], few)
    assert "no effect" not in verdict(model)
    assert re.search(r"comes up in [\d.]+\s% of cases: these seeds cannot tell", verdict(model)), "three seeds could tell"


def test_only_seeds_with_all_of_their_runs_count() -> None:
    scores = np.repeat(levels(), 6, 0)
    scores[3:, 2] = np.nan
    model = modelled(scores)
    assert (model.finished_runs, list(model.complete_seeds)) == (27, [0, 1, 3, 4])
    assert "27 of 30 runs" in verdict(model)
    assert verdict(modelled(np.full((6, 5), np.nan))).startswith("No run has ended yet. *Sweep* trains")


def test_every_picture_has_the_same_means_while_runs_are_to_come() -> None:
    sweep = read_sweep(Run(), ["loss.bins:4_10", "lr:0.001_0.01"], 3)
    scores = np.random.default_rng(0).random((4, 3))
    scores.T.flat[6:] = np.nan  # a complete seed, and half of another

    def means(model: Model) -> list[float]:
        cells, lines = (ROOM.figures[name](model, Display()) for name in ("grid", "course"))
        assert cells.layout.xaxis.title.text == f"learning rate{model.averaging}"
        assert lines.layout.xaxis.title.text == f"step{model.averaging}"
        finite = cells.data[0].z[np.isfinite(cells.data[0].z)]
        assert [line.y[-1] for line in lines.data] == pytest.approx(finite)
        return list(finite)

    model = modelled(scores, sweep)
    assert means(model) == pytest.approx(scores[:, 0])
    assert np.allclose(model.effects[0].means, scores[:, 0].reshape(2, 2).mean(1))
    assert not model.averaging
    scores[3, 0] = np.nan
    none_complete = modelled(scores, sweep)
    assert means(none_complete) == pytest.approx([scores[0, :2].mean(), scores[1, :2].mean(), scores[2, 0]])
    assert "means over the runs that have ended" in none_complete.averaging


def test_values_whose_runs_stopped_are_named_and_nothing_is_said_to_be_still_to_come() -> None:
    scores = np.repeat(levels(), 6, 0)
    scores[5] = np.nan
    stopped = tuple(range(5, 30, 6))
    advice = "Runs at 100 stopped before their end. Leave such values out to compare the others."
    for numbers, why in (
        (stopped, f"No seed has all of its runs. {advice}"),
        (stopped[1:], f"No seed has all of its runs yet. {advice}"),
    ):
        model = modelled(scores, stopped=numbers)
        assert verdict(model) == why
        for name in ("knob", "chance"):
            assert why in ROOM.figures[name](model, Display()).layout.meta["alt"]
    crossed = modelled(np.full((6, 2), np.nan), CROSSED, stopped=(3, 5, 9))
    assert "at FastAP: bins 10 with learning rate 0.01; FastAP: bins 25 with learning rate 0.01 stopped" in verdict(crossed)
    for name in ("grid", "course", "chance"):
        (note,) = [note.text for note in ROOM.figures[name](crossed, Display()).layout.annotations if "No run has" in note.text]
        assert max(map(len, note.split("<br>"))) <= 44, "readable on a phone"
    none = modelled(np.full((6, 5), np.nan), stopped=tuple(range(30)))
    assert verdict(none).startswith("No run has ended. Runs at 4; 5; 10; 25 and 2 more stopped before their end.")
    for name in ("knob", "grid", "course", "chance"):
        drawn = ROOM.figures[name](none, Display()).layout
        assert "yet" not in drawn.meta["alt"]
        assert not [note for note in drawn.annotations if re.search("yet|will|Then", note.text)]
    result = Result(np.zeros((1 + LOOKS, 1 + len(METRICS)), np.float32), 0)
    read = settings_of(LinkReader({"seeds": "1"}), Subject(results=[result, None, result, None]))
    assert read.stopped == (1, 3)


def test_of_two_knobs_each_has_its_own_sentence() -> None:
    both = read_sweep(Run(), ["lr:0.001_0.01", "sampler.samples:2_8_32"], 5)
    rng = np.random.default_rng(1)
    scores = (0.1 * np.arange(3)[None, :, None] + 0.01 * rng.standard_normal((2, 3, 5))).reshape(6, 5) + levels()
    rate, samples = modelled(scores, both).effects
    assert (rate.matters, samples.matters) == (False, True)
    assert samples.by_block.shape == (5, 3)
    assert samples.best == 2


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_sweep_and_its_figures_say_their_numbers(name: str) -> None:
    settings, _ = PRESETS[name]
    sweep = sweep_settings(LinkReader({key: str(value) for key, value in settings.items()}))
    turns, turn = [(0.0, "light", "map"), (0.5, "dark", "r1"), (1.0, "light", "active")], [*PRESETS].index(name) % 3
    for share, theme, score in turns if THOROUGH else [turns[turn]]:
        scores = np.random.default_rng(0).random((sweep.seeds, len(sweep.cells)))
        scores.flat[int(share * scores.size) :] = np.nan  # seed by seed
        model = modelled(scores.T, sweep, score=score)
        for figure in ROOM.figures.values():
            drawn = figure(model, Display(theme))
            go.Figure(drawn.to_dict())
            alt = drawn.layout.meta["alt"]
            assert "nan" not in alt
            assert any(letter.isdigit() for letter in alt)


def test_a_point_of_the_figure_is_the_run_of_its_number() -> None:
    scores = np.random.default_rng(0).random((6, 5))
    drawn = ROOM.figures["knob"](modelled(scores), Display())
    for seed, trace in enumerate(drawn.data[:5]):
        for place, number in enumerate(trace.customdata):
            run = SIX.runs[number]
            assert (run.loss.bins, run.seed) == (SIX.cells[place][0], seed)  # type: ignore[attr-defined]
            assert trace.y[place] == pytest.approx(scores[place, seed])


@pytest.mark.parametrize(("name", "axes"), [("knob", []), ("lines", ["loss:triplet_fastap"])])
def test_a_zoom_is_kept_while_runs_train_and_not_into_other_values(name: str, axes: list[str]) -> None:
    def revision(values: str, score: float) -> str:
        sweep = read_sweep(Run(), [f"lr:{values}", *axes], 2)
        return str(ROOM.figures[name](modelled(np.full((len(sweep.cells), 2), score), sweep), Display()).layout.uirevision)

    assert revision("0.001_0.01", 0.2) == revision("0.001_0.01", np.nan) != revision("0.01_0.1", 0.2)


def test_the_step_named_is_that_of_the_frame_shown() -> None:
    sweep = read_sweep(replace(Run(), steps=125), ["sampler.samples:4_8"], 1, "images")
    model = modelled([[0.1], [0.2]], sweep, look=9)
    assert model.when == "about 94% of the images seen"
    drawn = ROOM.figures["course"](model, Display())
    for run, trace in zip(sweep.runs, drawn.data, strict=True):
        assert run.shows(round(trace.x[9] * run.steps / 100))
    model = modelled([[0.1], [0.2]], replace(sweep, equal="steps"), look=9)
    assert model.step == 117
    assert "at step 117 against" in ROOM.figures["knob"](model, Display()).layout.meta["alt"]
    drawn = ROOM.figures["course"](model, Display())
    assert drawn.data[0].x[9] == drawn.layout.shapes[0].x0 == 117


def test_published_values_are_marked_where_they_were_tried() -> None:
    ranked = sweep_settings(LinkReader({key: str(value) for key, value in PRESETS["Ranked list: T"][0].items()}))
    drawn = ROOM.figures["knob"](modelled(np.random.default_rng(0).random((5, 5)), ranked), Display())
    marks = {note.x: note.text for note in drawn.layout.annotations if "▾" in note.text and "<span" not in note.text}
    assert marks == {0: "78.8<br>▾", 5: "79.1<br>▾", 10: "79.8<br>▾", 15: "79.3<br>▾", 20: "78.6<br>▾"}


@for_each("name", PRESETS)
def test_the_link_of_a_run_opens_that_run_if_its_values_are_on_the_sliders(name: str) -> None:
    sweep = sweep_settings(LinkReader({key: str(value) for key, value in PRESETS[name][0].items()}))
    links = {run: run_link(run) for run in sweep.runs[: len(sweep.cells)]}
    for run, link in links.items():
        assert link or run.steps < 100
        assert not link or run_form(LinkReader(link)) == replace(run, every=0)
    assert sum(map(bool, links.values())) >= 2


@pytest.mark.parametrize(("seconds", "expected"), [(0.2, "1 s"), (40, "40 s"), (250, "4 minutes"), (9000, "2.5 hours")])
def test_seconds_are_rounded(seconds: float, expected: str) -> None:
    assert duration_in_words(seconds) == expected


@pytest.mark.parametrize("turned", [False, True])
def test_each_value_of_a_knob_of_names_is_a_line_whose_points_are_its_runs(turned: bool) -> None:
    axes = ["label_noise:0_0.2_0.5", "loss:triplet_fastap"]
    sweep = read_sweep(Run(), axes[::-1] if turned else axes, 3)
    scores = np.random.default_rng(0).random((6, 3))
    model = modelled(scores, sweep)
    assert (model.main_figure_name, model.numbered_axis) == ("lines", int(turned))
    assert modelled(np.zeros((4, 2)), read_sweep(Run(), ["lr:0.01_0.02", "dim:2_3"], 2)).main_figure_name == "grid"
    drawn = ROOM.figures["lines"](model, Display())
    parts = ("", ", interval", ", seed 0", ", seed 1", ", seed 2")
    assert sorted(trace.name for trace in drawn.data) == sorted(
        f"{loss}{part}" for loss in ("Triplet", "FastAP") for part in parts
    )
    for trace in drawn.data:
        for value, y, number in zip((0, 0.2, 0.5), trace.y, trace.customdata or (), strict=False):
            run, (seed, cell) = sweep.runs[number], divmod(number, 6)
            assert (run.label_noise, run.loss.name) == (value, trace.name.split(",")[0])
            assert y == pytest.approx(scores[cell].mean() if "lines" in trace.mode else scores[cell, seed], rel=1e-6)
    cells = dict(zip(sweep.cells, scores, strict=True))
    gone = cells[("fastap", 0.5) if turned else (0.5, "fastap")] - cells[("fastap", 0) if turned else (0, "fastap")]
    half = 4.302653 * gone.std(ddof=1) / np.sqrt(3)  # Student's t for two degrees of freedom
    assert "mAP from 0 to 0.5: Triplet " in verdict(model)
    assert f"FastAP {gone.mean():+.3f} ± {half:.3f}".replace("-", "−") in verdict(model)
    (one,) = [said for said in verdict(modelled(scores[:, :1], replace(sweep, seeds=1))).split("\n\n") if " from 0 to " in said]
    assert f"FastAP {gone[0]:+.3f}".replace("-", "−") in one
    assert not re.search("±|undefined|Bands", one)
