"""Races of real losses: one start, one stream of batches, and the plain run's own frames."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers._base import BLOCK
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.engine import TRAINING, Engine, Job, Limits
from dml_viz.losses import LOSSES
from dml_viz.training.experiment import Branch
from dml_viz.training.loop import Run, advance, begin, fork, observe
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.race import Race, Racer
from dml_viz.training.race_url import read_racers
from dml_viz.training.step import Learner
from tests.fake_training import ManualExecutor

RUN = Run(Digits(), net=MLP(width=16), dim=3, sampler=PByK(4, 8), steps=30, every=10, device="cpu")
EVERYONE = [Racer(loss()) for loss in LOSSES.values()]
FIELD = read_racers("fastap~proxy_anchor.alpha:16~nt_xent~soft_triple.lr:0.001~triplet@20-1")


@pytest.mark.parametrize("dim", [2, 8])
def test_all_racers_start_from_equal_weights_in_an_equal_plane(dim: int) -> None:
    field = [EVERYONE[first : first + 12] for first in range(0, len(EVERYONE), 12)]
    races = [Race(replace(RUN, dim=dim), tuple(racers), seeds=2) for racers in field]
    for seed in range(2):
        states = [begin(race.run_of(place, seed)) for race in races for place in range(len(race.racers))]
        for state in states:
            np.testing.assert_array_equal(state.weights.value, states[0].weights.value)
            np.testing.assert_equal(state.plane, states[0].plane)


def test_all_racers_are_given_the_same_images_at_every_step() -> None:
    data = training_set(RUN.dataset, RUN.protocol, torch.device("cpu"))
    for racer in EVERYONE:
        run = Race(RUN, (racer,)).run_of(0)
        for step in (0, 1, BLOCK, 2 * BLOCK + 5):
            indices = data.batches(RUN.sampler, RUN.seed, step // BLOCK).on_device[step % BLOCK]
            x, y, _ = Learner(run, replace(begin(run), step=step))._batch()
            if racer.loss.views:
                # Two views of every other image of the very same batch, each named by its image.
                assert y.tolist() == indices[::2].repeat(2).tolist()
            else:
                assert torch.equal(x, data.x[indices])
                assert torch.equal(y, data.y[indices])


def raced(race: Race) -> Job:
    """A race through the engine, its slices made in this process."""
    workers = ManualExecutor()
    engine = Engine(TRAINING, lambda: workers, Limits(unwatched=600))
    live = engine.create(race.experiment, "visitor", slot="race")
    live.play()
    workers.make_all()
    assert live.status == "done", live.reason
    return live


@pytest.mark.parametrize("name", ["fastap", "proxy_anchor", "nt_xent"])
def test_a_race_of_one_loss_gives_the_frames_of_the_plain_run(name: str) -> None:
    race = Race(RUN, (Racer(LOSSES[name]()),))
    live, run = raced(race), race.run_of(0)
    state = begin(run)
    expected = [observe(run, state), *advance(run, state, run.steps)[1]]
    assert live.steps == tuple(frame.step for frame in expected)
    for frame in expected:
        together = live.frames(frame.step)
        assert together is not None
        (mine,) = together.members
        assert mine is not None
        np.testing.assert_array_equal(mine.z, frame.z)
        np.testing.assert_equal(mine.scalars, frame.scalars)
        for name, array in frame.arrays.items():
            np.testing.assert_array_equal(mine.arrays[name], array)


def test_in_company_and_over_seeds_every_racer_runs_as_if_alone() -> None:
    race = Race(RUN, FIELD, seeds=2)
    live = raced(race)
    _, rows = live.rows()
    table = dict(zip(rows[:, 0], rows[:, 1:].reshape(len(rows), len(FIELD), 2, -1), strict=True))
    for place, racer in enumerate(FIELD):
        for seed in range(2):
            run = race.run_of(place, seed)
            state = begin(run)
            if isinstance(racer.branch, Branch):
                before = race.run_of(racer.branch.of, seed)
                state = fork(before, run, advance(before, begin(before), racer.branch.step)[0])
            for frame in advance(run, state, run.steps)[1]:
                assert table[frame.step][place, seed, 0] == np.float32(frame.scalars["map.unseen"])
                assert table[frame.step][place, seed, 6] == np.float32(frame.scalars["active"])
