"""Sweeps as declarations: their runs, their text in a link, and what they refuse."""

from dataclasses import replace
from typing import Any

import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import LOSSES
from dml_viz.losses.fastap import FastAP
from dml_viz.params import NearestError
from dml_viz.training.loop import Run
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.paths import paths, value_at, with_training_defaults, with_value, write_value
from dml_viz.training.run import PARTS, STEPS_CAP
from dml_viz.training.sweep import Axis, Sweep, batch_size, read_values, suggested_values
from tests.fake_training import read_sweep
from tests.samples import for_each

RUN = Run(Digits(), net=MLP(width=16), dim=8, sampler=PByK(4, 8), steps=300, device="cpu")


@for_each("loss", LOSSES)
def test_every_knob_of_a_run_can_be_swept_over_values_that_its_parts_allow(loss: str) -> None:
    run = replace(RUN, loss=with_training_defaults(LOSSES[loss]))
    known = paths(run)
    assert {"dim", "lr", "loss", "net", "dataset", "sampler.samples", "net.width"} <= known.keys()
    assert ("proxy_lr" in known) == bool(run.loss.learns)
    for path, knob in known.items():
        assert not knob.error_for(value_at(run, path)), path
        values = suggested_values(knob)
        assert with_value(run, path, value_at(run, path)) == run
        for value in values:
            assert value_at(with_value(run, path, value), path) == value
        if len(values) > 1:
            again = Axis.read(run, Axis(path, values).write())
            assert {*map(write_value, again.values)} == {*map(write_value, values)}


def test_the_runs_of_a_sweep_are_plain_runs_seed_by_seed() -> None:
    sweep = read_sweep(replace(RUN, seed=7), ["loss.bins:20_5", "dim:2_8"], 2)
    assert sweep.cells == ((5, 2), (5, 8), (20, 2), (20, 8))
    expected = [
        replace(RUN, loss=FastAP(bins=bins), dim=dim, seed=seed, every=30)
        for seed in (7, 8)
        for bins in (5, 20)
        for dim in (2, 8)
    ]
    assert list(sweep.runs) == expected
    assert (sweep.experiment.order, sweep.experiment.keep, sweep.experiment.runs_with_frames) == ("one by one", "none", ())


def test_runs_see_as_many_images_where_that_is_asked_for() -> None:
    sweep = read_sweep(RUN, ["sampler.samples:2_8_32"], 1, "images")
    assert [run.steps for run in sweep.runs] == [1200, 300, 75]
    assert len({run.steps * batch_size(run) for run in sweep.runs}) == 1


def test_runs_that_cannot_see_as_many_images_are_refused() -> None:
    wrong = "classes 2, .* samples 2 takes 24,000 steps .* 20,000 allowed; choose fewer steps, other values, or .*: steps$"
    axes = ["sampler.classes:4_2", "sampler.samples:2_8"]
    with pytest.raises(ValueError, match=wrong):
        read_sweep(replace(RUN, steps=3000), axes, 1, "images")
    assert max(run.steps for run in read_sweep(replace(RUN, steps=2500), axes, 1, "images").runs) == STEPS_CAP


@for_each(
    ("axes", "wrong"),
    [
        (["loss.bins:5_2000"], r"bins = 2000 is not allowed; choose a whole number in \[1, 1000\]"),
        (["loss.margin:0.1_0.2"], "no knob 'loss.margin'; choose one of"),
        (["loss.bins:5"], "1 value; choose 2 to 20"),
        (["loss.bins:5_5"], "a value twice"),
        (["lr:fast_0.1"], r"lr = 'fast' is not allowed; choose \(0, 1\]"),
        (["net:mlp_transformer"], f"'transformer' is not allowed; choose {', '.join(sorted(PARTS['net'].kinds))}$"),
        (["sampler.samples:2_512", "sampler.classes:2_512"], "choose a product up to 8192"),
        (["loss.bins:5_10", "loss.bins:20_50"], "two different ones"),
        ([], "one knob, or two"),
        (["loss.bins:" + "_".join(map(str, range(4, 24))), "dim:2_3_8_64"], "take fewer values or seeds"),
        (["lr:" + "0.1_" * 200], "characters"),
    ],
)
def test_an_impossible_sweep_is_refused_with_value_range_and_fix(axes: list[str], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_sweep(RUN, axes, 5)


@pytest.mark.parametrize("wrong", [{"seeds": 0}, {"seeds": 11}, {"equal": "time"}])
def test_seeds_and_the_choice_of_equal_steps_or_images_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="choose"):
        replace(Sweep(RUN, (Axis("dim", (2, 3)),)), **wrong)


def test_names_with_underscores_are_distinguished() -> None:
    knob = paths(RUN)["loss"]
    assert read_values(knob, "proxy_anchor_nca_multi_similarity") == ("proxy_anchor", "nca", "multi_similarity")
    assert read_values(knob, "fastap, triplet") == ("fastap", "triplet")
    assert all(name in PARTS["loss"].kinds for name in suggested_values(knob))


def test_a_value_may_lie_beyond_the_slider_but_not_beyond_the_domain() -> None:
    knob = paths(RUN)["loss.bins"]
    assert read_values(knob, "2 200") == (2, 200)
    with pytest.raises(NearestError, match="2000"):
        read_values(knob, "2, 2000")
