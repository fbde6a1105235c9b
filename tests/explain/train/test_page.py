"""The training page plays the run of its settings: a recording of the same run, or a new run at once."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import tab, training_session
from dml_viz.app.run_controls import PRESETS
from dml_viz.app.training_session import GOING  # without a viewer it soon sleeps
from dml_viz.engine import Job
from dml_viz.engine.limits import Visitor
from dml_viz.engine.recordings import RECORDED, recording_of
from dml_viz.explain.train import ROOM
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.triplet import Triplet
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.source import Subject
from dml_viz.serve import server
from dml_viz.serve.files import address
from dml_viz.training.frame import Frame
from dml_viz.training.race import Race
from dml_viz.training.run import Run
from tests.shown import PAGES, comes_to_hold, given, opened, sound

TRAIN = "80_train.py"
QUICK = {"data": "digits", "net": "mlp", "run.steps": "100", "run.dim": "8"}

pytestmark = pytest.mark.usefixtures("workers")


def picture(app: AppTest) -> dict[str, Any]:
    (shown,) = [one for one in given(app) if "layout" in one]
    return dict(shown)


def job_of(app: AppTest, session: str = "live") -> Job:
    job = server.engine().get(app.session_state[f"{session}.id"])
    assert job
    return job


def train_out(job: Job) -> None:
    """Train a job to its end without a browser."""
    job.set_steps_per_frame(None)
    assert comes_to_hold(job, lambda one: one.status == "done")


def test_the_recording_of_the_page_is_of_its_default_settings() -> None:
    assert recording_of(Run()) == "start"
    race = RECORDED["race"]
    assert isinstance(race, Race)
    assert recording_of(race) == "race"
    app = opened(TRAIN, {})
    assert (picture(app)["mode"], picture(app)["url"]) == ("recorded", f"/{address('recorded/start.bin')}")
    assert "live.id" not in app.session_state


@pytest.mark.parametrize("loss", ["triplet", "angular", "proxy_anchor"])
def test_a_link_starts_the_run_of_its_settings(loss: str) -> None:
    app = opened(TRAIN, {**QUICK, "loss": loss})
    job = job_of(app)
    assert picture(app)["url"] == f"/live/{job.id}"
    assert (type(job.run.loss), job.run.dim, job.status in GOING) == (LOSSES[loss], 8, True)
    assert app.query_params["live.run"] == job.id


def test_a_visitor_who_has_too_many_runs_reads_the_limit_and_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    tab = server.engine().create(Run(), "another tab", visitor=Visitor("one"))
    monkeypatch.setattr(server.engine(), "limits", replace(server.engine().limits, visitor_jobs=1))
    monkeypatch.setattr(training_session, "visitor", lambda: Visitor("one"))
    app = AppTest.from_file(str(PAGES / TRAIN), default_timeout=300)
    app.query_params["run.seed"] = "3"
    (error,) = app.run().error
    assert error.value.endswith("as many as one visitor may have at once. Close a tab that trains: its place is free at once.")
    server.engine().leave("another tab")
    assert not app.run().error
    assert tab.closed


def test_a_changed_setting_starts_its_run_and_a_recipe_its_own() -> None:
    app = opened(TRAIN, {})
    sound(app.selectbox(key="loss").select("triplet").run())
    first = job_of(app)
    assert (first.run.loss.title, first.status in GOING) == ("Triplet", True)
    name = next(reversed(PRESETS))
    sound(app.button(key=f"preset.{name}").click().run())
    assert first.closed
    assert job_of(app).run.loss == LOSSES[PRESETS[name][0]["loss"]]()
    assert job_of(app).status in GOING


def test_a_reload_comes_back_to_the_running_step_and_leaves_the_other_visitor_alone() -> None:
    app = opened(TRAIN, {**QUICK, "run.steps": "20000"})
    job = job_of(app)
    while job.step < 13:
        job.watch()
        job.wait_for(lambda one: one.step >= 13, 0.05)
    again = opened(TRAIN, dict(sound(app.run()).query_params))
    mine = job_of(again)
    assert mine is not job
    assert mine.step >= 13
    assert mine.status in GOING
    assert all(one == other for one, other in zip(mine.steps, job.steps, strict=False))
    sound(again.button(key="live.reset").click().run())
    assert (mine.step, job.step >= 13) == (0, True)


def test_a_run_that_its_server_has_lost_is_restored_in_the_same_session_and_by_its_link() -> None:
    app = opened(TRAIN, {**QUICK, "step": "7"})
    job, step = job_of(app), 7
    assert comes_to_hold(job, lambda one: one.status == "paused" and one.step == step)
    sound(app.select_slider(key="run.lr").set_value(0.01).run())
    server.engine()._saver.save(job)
    link = dict(app.query_params)
    server.engine().close_jobs_of(job.owner)
    for page in (lambda: sound(app.run()), lambda: opened(TRAIN, link)):
        shown = page()
        back = job_of(shown)
        assert back is not job
        assert (back.step, back.status, back.run.lr, back.changes) == (step, "paused", 0.01, job.changes)
        assert [toast.value for toast in shown.toast] == [
            f"The server lost this run. It is back at step {step:,}, where it was saved last."
        ]
    [toast] = opened(TRAIN, {**link, "live.run": 22 * "x"}).toast
    assert toast.value.startswith("The server lost this run, with any change made while it trained. Another begins with these ")


def test_back_brings_a_fork_back_as_it_was_before_b_was_changed() -> None:
    app = opened(TRAIN, {**QUICK, "step": "7", "fork": "triplet@5-1"})
    train_out(first := job_of(app, "fork"))
    link = dict(app.query_params)
    app.session_state["fork"] = "triplet.margin:0.5@5-1"
    train_out(job_of(sound(app.run()), "fork"))
    assert first.closed
    del app.session_state[tab.VISIT.name]  # as at the browser's Back, the address is read
    app.query_params.update(link)
    back = job_of(sound(app.run()), "fork")
    assert (back.experiment, back.step) == (first.experiment, 100)


def test_a_paused_link_stays_paused_at_its_step() -> None:
    app = opened(TRAIN, {**QUICK, "step": "7"})
    assert comes_to_hold(job_of(app), lambda one: one.status == "paused" and one.step == 7)
    assert sound(app.run()).query_params["step"] == "7"
    gone = opened(TRAIN, {**dict(app.query_params), "live.run": "unknown"})
    assert "live.run = 'unknown' is no key of a run on this server; leave it out" in gone.warning[0].value
    assert comes_to_hold(job_of(gone), lambda one: one.status == "paused" and one.step == 7)


def test_at_its_end_a_run_asks_before_it_is_replaced_and_a_single_step_gives_advice() -> None:
    app = opened(TRAIN, QUICK)
    job = job_of(app)
    train_out(job)
    sound(sound(app.run()).button(key="live.one").click().run())
    assert "All 100 steps" in app.info[0].value
    sound(app.button(key="live.train.more").click().run())
    assert job_of(app) is job
    assert (job.budget, app.query_params["run.steps"]) == (200, "200")
    train_out(job)
    sound(sound(app.run()).button(key="live.train.again").click().run())
    assert job.step < 200


def test_another_net_trains_at_once_after_a_finished_run_and_waits_after_a_paused_one() -> None:
    app = opened(TRAIN, QUICK)
    train_out(job_of(app))
    app.session_state["run.dim"] = 3
    sound(app.run())
    assert (job_of(app).run.dim, job_of(app).status in GOING) == (3, True)
    job_of(app).pause()
    app.session_state["run.dim"] = 2
    sound(app.run())
    assert (job_of(app).run.dim, job_of(app).status, job_of(app).step) == (2, "paused", 0)


def test_a_link_of_before_keeps_the_plane_that_it_names() -> None:
    app = opened(TRAIN, {**QUICK, "step": "20", "plane": "20"})
    job = job_of(app)
    assert comes_to_hold(job, lambda one: one.status == "paused")
    assert (job.plane, app.query_params["plane"]) == (20, "20")
    first, last = first_and_last(job)
    np.testing.assert_array_equal(first.plane, last.plane)
    np.testing.assert_allclose(first.arrays["view"], first.z @ last.plane, atol=1e-6)


def first_and_last(job: Job) -> tuple[Frame, Frame]:
    first, last = job.at(0), job.at()
    assert first
    assert last
    return first, last


def test_speed_shows_each_step_and_waits_until_it_is_drawn() -> None:
    app = opened(TRAIN, {**QUICK, "speed": "1"})
    job = job_of(app)
    for step in (1, 2, 3):
        job.watch()
        assert comes_to_hold(job, lambda one, step=step: one.latest_step == step)  # type: ignore[misc]
    assert job.steps == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("page", "link", "loss"),
    [
        ("50_angular.py", {"angular.alpha": "30.0"}, Angular(alpha=30)),
        ("64_fastap.py", {"fastap.bins": "25"}, FastAP(bins=25)),
        ("50_angular.py", {"step": "3"}, FastAP()),
    ],
)
def test_a_live_run_of_a_loss_page_trains_with_its_loss_unless_the_link_says_otherwise(
    page: str, link: dict[str, str], loss: Loss
) -> None:
    app = opened(page, {"subject": "live run", "data": "digits", **link})
    assert job_of(app).run.loss == loss
    assert any(f"trains with **{loss.name}**" in caption.value for caption in app.caption)


def test_a_loss_page_offers_to_train_its_own_loss_in_place_of_another_run() -> None:
    app = opened("50_angular.py", {"subject": "live run", "data": "digits", "loss": "triplet", "angular.alpha": "30.0"})
    assert isinstance(job_of(app).run.loss, Triplet)
    sound(app.button(key="live.own").click().run())
    assert job_of(app).run.loss == Angular(alpha=30)
    assert app.query_params["loss"] == "angular"


@pytest.mark.parametrize(
    ("link", "drawn"),
    [({}, "map"), ({"v": "2"}, "map"), ({}, "plane"), ({"v": "2", "picture": "plane"}, "plane"), ({"picture": "map"}, "map")],
    ids=["nothing asked", "of today", "of before", "of today, in a plane", "of before, in a map"],
)
def test_points_are_drawn_in_a_map_and_by_links_of_before_in_a_plane(link: dict[str, str], drawn: str) -> None:
    more = {} if not link and drawn == "map" else QUICK
    app = opened(TRAIN, {**more, **link})
    assert picture(app)["picture"] == drawn
    assert ("v", "2") in dict(app.query_params).items()
    # The link that the page writes opens as it is.
    again = opened(TRAIN, {key: text for key, text in dict(app.query_params).items() if key != "live.run"})
    assert picture(again)["picture"] == drawn
    room = ROOM.settings(
        LinkReader({key: text for key, text in dict(app.query_params).items() if key in ("v", "picture")}), Subject()
    )
    assert room.picture == drawn
