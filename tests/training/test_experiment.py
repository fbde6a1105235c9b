"""Experiments: any number of plain runs, declared together and trained in their order."""

from dataclasses import replace

import pytest

from dml_viz.training.experiment import Branch, Experiment
from tests.fake_training import STEPS_A_SLICE
from tests.training.test_race import RACE, RUN, Track


@pytest.mark.parametrize(
    "wrong", [{"runs": ()}, {"titles": ("A",)}, {"seeds": 2}, {"branches": (None,)}, {"branches": (None, Branch(3, 1), None)}]
)
def test_an_experiment_whose_numbers_disagree_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"pass|name"):
        replace(RACE.experiment, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("order", "steps"), [("furthest behind", (5, 5, 5)), ("one by one", (15, 0, 0))])
def test_the_order_says_which_member_is_trained_next(order: str, steps: tuple[int, ...]) -> None:
    track = Track()
    experiment = replace(RACE.experiment, order=order)  # type: ignore[arg-type]
    job = track.engine.create(experiment, "visitor", slot="race")
    track.workers.make_all()
    job.play()
    track.workers.make(sum(steps) // STEPS_A_SLICE)
    assert tuple(member.step for member in job.overview().members) == steps
    track.workers.make_all()
    assert job.status == "done"
    track.engine.close()


def test_members_that_are_not_drawn_have_curves() -> None:
    track = Track()
    runs = tuple(replace(RUN, seed=100 + k) for k in range(30))
    job = track.engine.create(Experiment(runs, ("FastAP",), seeds=30, keep="none"), "visitor", slot="race")
    job.play()
    track.workers.make_all()
    frames, (_, rows) = job.frames(), job.rows()
    assert frames is not None
    assert (frames.step, frames.members) == (RUN.steps, ())
    assert len(rows) == 5
    track.engine.close()
