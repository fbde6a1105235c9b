"""Races: their declaration, and the engine's races with a training without cost."""

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace

import numpy as np
import pytest

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.wire import unpack
from dml_viz.engine import Job
from dml_viz.engine.members import CURVES
from dml_viz.engine.messages import VERSION, frame_message, subject_message, tick_message
from dml_viz.losses import LOSSES
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.triplet import Triplet
from dml_viz.params import NearestError, knobs, params, training_params
from dml_viz.training.experiment import Branch
from dml_viz.training.loop import Run
from dml_viz.training.nets import NETS
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.race import Race, Racer
from dml_viz.training.race_url import read_racers, write_racers
from tests.fake_training import BAD_SEED, NAN_AT, STEPS_A_SLICE, WORST_SEED, ManualEngine
from tests.samples import for_each

RUN = Run(Digits(), net=MLP(), steps=40, every=10, dim=2, lr=0.01)
FIELD = (
    Racer(FastAP()),
    Racer(Triplet(mining="semi-hard"), changes=(("lr", 0.02),)),
    Racer(FastAP(bins=25), changes=(("lr", 0.03),)),
)
UNLIKE = read_racers("fastap.sampler.samples:4~fastap.dim:8~fastap.net:conv~fastap.dataset:glyphs")
RACE = Race(RUN, FIELD)


class Track(ManualEngine):
    def begun(self, race: Race = RACE, owner: str = "visitor") -> Job:
        live = self.engine.create(race.experiment, owner, slot="race")
        self.workers.make_all()
        return live

    def raced(self, race: Race = RACE) -> Job:
        live = self.begun(race)
        live.play()
        self.workers.make_all()
        return live

    def trained(self, run: Run) -> list[tuple[int, float]]:
        """The frames of the plain run."""
        live = self.engine.create(run, "plain")
        live.play()
        self.workers.make_all()
        return [(frame.step, frame.scalars["loss"]) for frame in map(live.at, live.steps) if frame]


@pytest.fixture
def track() -> Iterator[Track]:
    one = Track()
    yield one
    one.engine.close()


def shown(live: Job, racer: int) -> list[tuple[int, float]]:
    frames = [together.members[racer] for together in map(live.frames, live.steps) if together]
    return [(frame.step, frame.scalars["loss"]) for frame in frames if frame]


def test_a_race_waits_at_its_start_with_all_racers_begun(track: Track) -> None:
    live = track.begun()
    assert (live.status, live.step, live.steps) == ("paused", 0, (0,))
    assert live.subject is not None
    assert live.device == "AUTO"


def test_every_racer_shows_exactly_what_its_plain_run_shows(track: Track) -> None:
    live = track.raced()
    assert (live.status, live.steps) == ("done", (0, 10, 20, 30, 40))
    for place in range(len(FIELD)):
        assert shown(live, place) == track.trained(RACE.run_of(place))


def test_racers_keep_step_and_one_slice_is_under_way(track: Track) -> None:
    live = track.begun()
    live.play()
    for _ in range(10):
        assert len(track.workers.waiting) == 1
        track.workers.make()
        steps = [standing.step for standing in live.overview().members]
        assert max(steps) - min(steps) <= STEPS_A_SLICE


def test_a_race_of_many_runs_takes_one_turn_where_a_run_takes_one(track: Track) -> None:
    live = track.begun(replace(RACE, seeds=5))
    plain = track.engine.create(replace(RUN, steps=1000), "another")
    track.workers.make_all()
    live.play()
    plain.play()
    track.workers.make(20)
    assert plain.step == 10 * STEPS_A_SLICE
    assert sum(standing.step for standing in live.overview().members) == 10 * STEPS_A_SLICE


def test_idle_workers_are_used_and_none_beyond_them(track: Track) -> None:
    track.workers.workers = 2  # type: ignore[attr-defined]
    live = track.begun()
    live.play()
    assert len(track.workers.waiting) == 2


def test_curves_have_every_seed_of_every_racer_and_nan_where_a_run_has_stopped(track: Track) -> None:
    race = Race(replace(RUN, seed=BAD_SEED - 1), FIELD[:2], seeds=2)
    live = track.raced(race)
    assert live.status == "done"
    stopped = [standing for standing in live.overview().members if standing.status == "stopped"]
    assert [(standing.step, standing.reason) for standing in stopped] == [(NAN_AT, f"NaN at step {NAN_AT}")] * 2
    which = f"{live.experiment.titles[0]}, seed 2 of 2"
    assert live.reason == f"2 of 4 runs stopped before the end; {which}: NaN at step {NAN_AT}"
    columns, rows = live.rows()
    assert columns == CURVES
    assert rows.shape == (5, 1 + 4 * len(CURVES))
    assert rows[:, 0].tolist() == [0, 10, 20, 30, 40]
    recall = rows[:, 1:].reshape(5, 4, len(CURVES))[..., CURVES.index("r1.unseen")]
    assert np.isnan(recall[2:, 1]).all()
    assert (recall[:2, 1] == 0.5).all()
    assert live.rows(3)[1].shape[0] == 2
    live.change(replace(live.experiment, runs=tuple(replace(run, steps=50) for run in live.experiment.runs)))
    live.play()
    track.workers.make_all()  # those that stopped would stop there again
    assert [(one.status, one.step) for one in live.overview().members] == [("done", 50), ("stopped", NAN_AT)] * 2


def test_pausing_and_going_on_changes_no_frame(track: Track) -> None:
    expected = [shown(track.raced(), place) for place in range(3)]
    live = track.begun()
    live.play()
    track.workers.make(4)
    live.pause()
    track.workers.make_all()
    assert live.status == "paused"
    live.play()
    track.workers.make_all()
    assert [shown(live, place) for place in range(3)] == expected


def test_a_race_trained_to_a_step_stops_there_with_a_frame_of_it(track: Track) -> None:
    live = track.begun()
    live.play(until=17)
    track.workers.make_all()
    assert (live.status, live.step, live.steps) == ("paused", 17, (0, 10, 17))


def test_reset_goes_back_to_the_same_start_and_drops_what_is_under_way(track: Track) -> None:
    expected = shown(track.raced(), 1)
    live = track.begun()
    live.play()
    track.workers.make(5)
    live.reset()
    track.workers.make_all()
    assert (live.status, live.step, live.steps, live.frames_version) == ("paused", 0, (0,), 1)
    live.play()
    track.workers.make_all()
    assert shown(live, 1) == expected


def test_a_killed_worker_changes_no_frame(track: Track) -> None:
    expected = [shown(track.raced(), place) for place in range(3)]
    live = track.begun()
    live.play()
    while track.workers.waiting:
        track.workers.fail(BrokenExecutor("killed"))
        track.workers.make()
    assert live.status == "done"
    assert [shown(live, place) for place in range(3)] == expected


def test_a_larger_budget_lets_a_race_go_on(track: Track) -> None:
    live = track.raced()
    live.change(replace(RACE, run=replace(RUN, steps=60)).experiment)
    track.workers.make_all()
    assert (live.status, live.steps[-1], live.budget) == ("done", 60, 60)


def test_a_race_without_viewers_sleeps_and_wakes_with_a_viewer(track: Track) -> None:
    live = track.begun()
    live.play()
    track.workers.make()
    track.now += 5.1
    track.workers.make_all()
    assert live.status == "asleep"
    live.watch()
    track.workers.make_all()
    assert live.status == "done"


def test_the_race_of_a_closed_session_sleeps_and_is_freed_after_a_while(track: Track) -> None:
    live = track.begun()
    live.play()
    track.engine.leave("visitor")
    assert live.status == "asleep"
    track.now += 61
    track.engine.sweep()
    assert live.closed
    track.workers.make_all()
    assert live.step == 0


def test_an_owner_may_have_one_race_and_one_run(track: Track) -> None:
    first, plain = track.begun(), track.engine.create(RUN, "visitor")
    second = track.begun()
    assert first.closed
    assert not second.closed
    assert track.engine.get(plain.id) is plain


def test_missing_data_fail_the_race_with_their_sentence(track: Track) -> None:
    live = track.begun(replace(RACE, run=replace(RUN, seed=WORST_SEED)))
    assert (live.status, live.reason) == ("failed", "RuntimeError: the data are not there")


def test_messages_have_racers_frames_and_curves(track: Track) -> None:
    live = track.raced(Race(RUN, FIELD, seeds=2))
    first = subject_message(live)
    assert first is not None
    header, _ = unpack(first)
    assert [racer["letter"] for racer in header["members"]] == ["A", "B", "C"]
    assert header["members"][2]["title"] == "FastAP, bins 25, learning rate 0.03"
    frame = live.frames(20)
    assert frame is not None
    header, arrays = unpack(frame_message(live, 20))
    assert (header["step"], header["latest"], header["status"]) == (20, 40, "done")
    assert header["version"] == VERSION
    assert header["columns"] == list(CURVES)
    for place, each in enumerate(frame.members):
        assert each is not None
        np.testing.assert_allclose(arrays[f"{place}.view"] / 32767.5 - 1, each.arrays["view"], atol=2e-5)
    assert arrays["rows"].shape == (5, 1 + 6 * len(CURVES))
    assert unpack(tick_message(live, afresh=True))[0]["latest"] == -1


# Links ------------------------------------------------------------------------------------------------------------


def test_racers_are_read_as_they_are_written() -> None:
    field = (
        *FIELD,
        Racer(Triplet(margin=0.5, mining="semi-hard", squared=False), Branch(120, 1)),
        Racer(FastAP(), Branch(7, 0), (("lr", 0.0005),)),
        Racer(FastAP(), changes=(("dim", 8), ("net", "mlp"), ("net.width", 64), ("sampler.samples", 4))),
    )
    text = write_racers(field)
    assert (
        text == "fastap~triplet.lr:0.02~fastap.bins:25.lr:0.03~triplet.margin:0.5.squared:false@120-2~fastap.lr:0.0005@7-1"
        "~fastap.dim:8.net:mlp.net.width:64.sampler.samples:4"
    )
    assert read_racers(text) == field


def test_a_racer_is_named_by_the_form_of_its_loss() -> None:
    field = read_racers("margin_softmax~margin_softmax.form:ArcFace.margin:0.3~fastap")
    assert [racer.title for racer in field] == ["AM-softmax", "ArcFace, margin 0.3", "FastAP"]


def test_a_racer_that_names_its_loss_alone_has_the_defaults_of_training() -> None:
    field = read_racers("~".join(name for name in LOSSES if training_params(LOSSES[name]) != params(LOSSES[name])) + "~fastap")
    assert len(field) > 1
    for racer in field:
        assert knobs(racer.loss) == {knob.name: knob.default for knob in training_params(racer.loss)}
        assert racer.title == type(racer.loss).title


@for_each("name", LOSSES)
def test_every_loss_with_every_knob_at_an_end_is_restored_from_a_link(name: str) -> None:
    loss = LOSSES[name]()
    for knob in params(loss):
        for end in knob.ends:
            racer = (Racer(replace(loss, **{knob.name: end})),)
            assert read_racers(write_racers(racer)) == racer


@for_each(
    ("text", "nearest", "reason"),
    [
        ("", "fastap~triplet", "at least 2"),
        ("nothing~fastap~triplet", "fastap~triplet", "there is no loss 'nothing'"),
        ("fastap~fastap~triplet~fastap", "fastap~triplet", "^racer 'fastap' is there more than once$"),
        ("fastap.bins:-7~triplet", "fastap.bins:4~triplet", "bins = '-7' is not allowed in a link"),
        ("fastap.bins:ten~triplet", "fastap~triplet", "bins = 'ten' is not allowed"),
        ("fastap.bins:nan~triplet", "fastap~triplet", "not allowed"),
        ("triplet.margin:99~fastap", "triplet.margin:1.0~fastap", r"margin = '99' .*: 1\.0 is the nearest"),
        ("triplet.margin:wide~fastap", "triplet~fastap", r"'wide' .*: 0\.2 is taken"),
        ("triplet.mining:foo~fastap.net:foo", "triplet~fastap.net:conv", "semi-hard is taken; .*: conv is taken"),
        ("fastap.teeth:7~triplet", "fastap~triplet", "fastap has no knob 'teeth'"),
        ("fastap~triplet@20-2", "fastap~triplet", "branches off nothing"),
        ("fastap~triplet@0-1", "fastap~triplet", "branches off nothing"),
        ("nothing~fastap~triplet@20-2", "fastap~triplet@20-1", "there is no loss"),
        ("fastap", "fastap~triplet", "at least 2"),
        (
            "~".join(f"fastap.bins:{k}" for k in range(4, 18)),
            "~".join(f"fastap.bins:{k}" for k in range(4, 16)).replace("fastap.bins:10", "fastap"),
            "more than 12 racers",
        ),
        ("fastap~" * 40_000, "fastap~triplet", "characters"),
    ],
)
def test_a_malformed_link_gives_the_nearest_race_and_says_what_is_wrong(text: str, nearest: str, reason: str) -> None:
    with pytest.raises(NearestError, match=reason) as caught:
        read_racers(text, (Racer(FastAP()), Racer(Triplet(mining="semi-hard"))))
    assert caught.value.nearest == nearest
    read_racers(nearest, (Racer(FastAP()), Racer(Triplet(mining="semi-hard"))))


def test_a_racer_whose_method_replaces_the_loss_is_called_by_the_method() -> None:
    racers = read_racers("triplet.margin:0.5.lr:0.01.method:density~triplet.margin:0.5")
    titles = Race(RUN, racers).experiment.titles
    assert titles == ("Density-aware centres in place of Triplet, learning rate 0.01", "Triplet, margin 0.5")


def test_racers_differ_by_batches_dimension_net_and_images(track: Track) -> None:
    race = Race(replace(RUN, every=0), UNLIKE)
    batches, dimension, net, images = (race.run_of(place) for place in range(4))
    assert batches == replace(race.run, loss=FastAP(), sampler=PByK(samples=4))
    assert (dimension.dim, net.net.title, images.dataset.title) == (8, "Conv net", "Glyphs")
    assert race.experiment.titles == ("FastAP, samples 4", "FastAP, embedding dimension 8", "FastAP, Conv net", "FastAP, Glyphs")
    assert len({run.stride for run in race.experiment.runs}) == 1, "all are shown at the same steps"
    live = track.raced(race)
    for place, run in enumerate(race.experiment.runs):
        assert shown(live, place) == track.trained(run)
    header, arrays = unpack(subject_message(live) or b"")
    assert [(member["dim"], member["data"]) for member in header["members"]] == [(2, 0), (8, 0), (2, 0), (2, 1)]
    assert [data["title"] for data in header["data"]] == ["Glyphs"]
    assert {"y", "images", "data1.y", "data1.images"} <= arrays.keys()
    assert unpack(frame_message(live))[1]["1.view"].shape[1] == 8


def test_a_racer_keeps_the_changes_that_fit_the_race() -> None:
    field = read_racers("fastap.net.depth:2~fastap.net:mlp.net.depth:2")
    levels = replace(RUN, net=NETS["levels"]())  # has no depth
    assert field[0].without_unfit_changes(levels).changes == ()
    assert field[0].without_unfit_changes(RUN).changes == (("net.depth", 2),)
    assert field[1].without_unfit_changes(levels).changes == (("net", "mlp"), ("net.depth", 2))


@pytest.mark.parametrize(
    ("racer", "reason"),
    [
        (Racer(FastAP(), changes=(("sampler.samples", 512), ("sampler.classes", 17))), "racer 2: .* choose a product up to 8192"),
        (Racer(FastAP(), Branch(5, 0), (("dim", 8),)), "racer 2 goes on with the weights of racer 1; choose the same"),
    ],
)
def test_a_racer_with_an_impossible_run_is_refused_by_its_place(racer: Racer, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Race(RUN, (Racer(FastAP()), racer))


@pytest.mark.parametrize(
    "wrong", [{"racers": ()}, {"racers": FIELD * 5}, {"seeds": 0}, {"seeds": 6}, {"racers": (Racer(FastAP(), Branch(3, 0)),)}]
)
def test_an_impossible_race_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"choose|name"):
        replace(RACE, **wrong)  # type: ignore[arg-type]


def test_the_cost_of_a_race_counts_what_branches_share_once() -> None:
    race = Race(RUN, (*FIELD, Racer(Triplet(margin=0.5, mining="semi-hard"), Branch(30, 1))), seeds=2)
    assert race.total_steps == 2 * (3 * 40 + 10)
