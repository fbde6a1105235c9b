"""The Sweep page: its first state, and how a sweep is chosen, trained, paused and shown."""

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import figure
from dml_viz.engine import Job
from dml_viz.engine.results import recorded_results
from dml_viz.engine.sweeps import Results
from dml_viz.serve import server
from tests.shown import Shown, comes_to_hold, opened, sound, words

PAGE = "83_sweep.py"
QUICK = {
    "data": "digits",
    "net": "mlp",
    "mlp.width": "16",
    "run.dim": "3",
    "run.steps": "100",
    "seeds": "2",
    "axis": "lr:0.001_0.01",
}

pytestmark = pytest.mark.usefixtures("workers")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    figures = Shown("sweep-")
    monkeypatch.setattr(figure, "figure", figures)
    return figures


def sweeping(app: AppTest) -> Job:
    live = server.engine().get(app.session_state["sweep.id"])
    assert live is not None
    return live


def test_a_sweep_is_priced_trained_and_stored(shown: Shown) -> None:
    app = opened(PAGE, QUICK)
    for future in app.session_state["sweep.prices"].values():
        future.result()
    assert "4 runs of 100 steps: about" in words(sound(app.run()))
    sound(app.button(key="sweep.go").click().run())
    live = sweeping(app)
    assert len(live.experiment.runs) == 4
    assert comes_to_hold(live, lambda job: job.status == "done")
    text = words(sound(app.run()))
    assert "each trained before and kept" in text
    assert "learning rate moves mAP by" in text
    assert len(shown["knob"].data) == 4  # two seeds, the band and the mean
    # Another visitor finds it; with one seed more, only that seed trains.
    assert "each trained before and kept" in words(opened(PAGE, QUICK))
    assert "2 runs" in words(opened(PAGE, {**QUICK, "seeds": "3"}))


def test_runs_that_stopped_are_named_and_not_offered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    link = {**QUICK, "axis": "lr:0.004_0.04"}
    app = opened(PAGE, link)
    for future in app.session_state["sweep.prices"].values():
        future.result()
    sound(app.button(key="sweep.go").click().run())
    live = sweeping(app)
    runs, reason = live.experiment.runs, "Stopped at step 12: the loss is not finite."
    assert comes_to_hold(live, lambda job: job.status == "done")
    monkeypatch.setattr(Results, "find", lambda *_: None)
    assert app.run().button(key="sweep.go").label == "Sweep"
    for place in range(len(runs)):
        live._members._each[place]._stopped = reason
        Results(server.engine().store).keep(live._members._each[place])
        left = len(runs) - place - 1
        text = words(sound(app.run()))
        assert f"{place + 1} of 4 runs stopped before their end: {reason}" in text
        if left:
            assert app.button(key="sweep.go").label == "Go on"
            assert f"{left} run{'s' * (left > 1)} of 100 steps: about" in text
    assert "sweep.go" not in [button.key for button in app.button]
    assert "4 runs** of 100 steps, none left to train." in text
    assert "sweep.go" not in [button.key for button in opened(PAGE, link).button], "for another visitor, too"


@pytest.mark.usefixtures("unpriced")
def test_a_sweep_continues_from_its_saved_state_after_its_server_is_lost() -> None:
    app = opened(PAGE, {**QUICK, "axis": "lr:0.003_0.03", "run.steps": "20000"})
    sound(app.button(key="sweep.go").click().run())
    lost = sweeping(app)
    assert app.query_params["sweep.run"] == lost.id
    assert comes_to_hold(lost, lambda job: max(member.step for member in job.overview().members) >= 10)
    server.engine()._saver.save(lost)
    server.engine().close_jobs_of(lost.owner)
    again = opened(PAGE, dict(app.query_params))
    (toast,) = again.toast
    assert toast.value.endswith(" of 4 runs done.")
    back = sweeping(again)
    assert (back.id != lost.id, back.experiment, back.status) == (True, lost.experiment, "running")
    assert max(member.step for member in back.overview().members) >= 10
    other = opened(PAGE, {**QUICK, "sweep.run": back.id})
    assert "sweep.run" not in other.query_params, "runs of another sweep"
    server.engine().close_jobs_of(back.owner)  # its workers are free for the next


@pytest.mark.usefixtures("unpriced")
def test_a_sweep_that_gets_more_values_says_which_runs_train_and_trains_none_of_them_twice() -> None:
    app = opened(PAGE, {**QUICK, "axis": "lr:0.005_0.05", "run.steps": "20000"})
    sound(app.button(key="sweep.go").click().run())
    begun = sweeping(app)
    sound(app.text_input(key="axis.values").set_value("0.005, 0.02, 0.05").run())
    (progress,) = app.get("progress")
    after = "After these, *Go on* trains the other 2."
    assert progress.proto.text.startswith("0 of 4 runs")
    assert progress.proto.text.endswith(f". {after}")
    sound(app.button(key="sweep.go").click().run())
    assert begun.status == "paused"
    assert f"**4 runs** of 20,000 steps; a few of them are being timed. {after}" in words(app)
    sound(app.button(key="sweep.go").click().run())
    assert (sweeping(app) is begun, begun.status) == (True, "running"), "what it has trained is not trained again"
    begun.pause()
    for member in begun._members._each:
        member._stopped = "Stopped at step 12: the loss is not finite."
        Results(server.engine().store).keep(member)
    text = words(sound(app.run()))
    assert "**2 runs** of 20,000 steps" in text
    assert after not in text
    sound(app.button(key="sweep.go").click().run())
    assert {run.lr for run in sweeping(app).experiment.runs} == {0.02}
    server.engine().close_jobs_of(begun.owner)  # its workers are free for the next


@pytest.mark.usefixtures("unpriced")
def test_a_knob_is_chosen_and_its_values_are_typed() -> None:
    app = opened(PAGE, QUICK)
    sound(app.selectbox(key="axis.knob").set_value("net.depth").run())
    assert app.query_params["axis"] == "net.depth:1_2_3_4"
    sound(app.text_input(key="axis.values").set_value("1, 3").run())
    assert app.query_params["axis"] == "net.depth:1_3"
    sound(app.text_input(key="axis.values").set_value("1, 9").run())
    (wrong,) = app.warning
    assert "depth = 9 is not allowed; choose a whole number in [1, 4]" in wrong.value
    assert app.query_params["axis"] == "net.depth:1_3"
    sound(app.selectbox(key="axis2.knob").set_value("sampler.samples").run())
    assert app.query_params["axis2"] == "sampler.samples:2_5_11_27_64"
    assert "A batch holds 10 to 320 images of 5 classes" in words(app)


@pytest.mark.usefixtures("unpriced")
def test_of_a_loss_without_the_knob_one_of_its_own_is_swept() -> None:
    app = opened(PAGE, {"axis": "loss.bins:5_20"})
    sound(app.selectbox(key="loss").select("triplet").run())
    assert app.session_state["axis"] == "loss.margin:0_0.25_0.5_0.75_1"
    assert "axis" not in opened(PAGE, {"loss": "triplet"}).query_params


def test_a_sweep_that_takes_too_long_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(PAGE, {**QUICK, "axis": "lr:0.002_0.02"})
    for future in app.session_state["sweep.prices"].values():
        cost = future.result()
        monkeypatch.setattr(type(cost), "of", lambda *_: 5000.0)
    sound(app.run())
    assert app.button(key="sweep.go").disabled
    assert "A sweep may take 60 minutes: take fewer" in words(app)


@pytest.mark.usefixtures("unpriced")
def test_a_malformed_link_gets_one_sentence_with_the_range() -> None:
    app = opened(PAGE, {"axis": "loss.bins:5_5000", "seeds": "40"})
    (wrong,) = app.warning
    assert "bins = 5000 is not allowed" in wrong.value


@pytest.mark.usefixtures("unpriced")
def test_runs_that_cannot_see_as_many_images_train_for_as_many_steps() -> None:
    link = {**QUICK, "run.steps": "2005", "axis": "sampler.samples:2_64", "sweep.equal": "images", "p_by_k.samples": "64"}
    app = opened(PAGE, link)
    (wrong,) = app.warning
    assert "samples 2 takes 64,160 steps" in wrong.value
    assert "equally many steps instead" in wrong.value
    assert "sweep.equal" not in app.query_params
    assert "4 runs** of 2,005 steps" in words(app)
    batch = "The value above says how many images each run sees"
    assert batch not in words(app)
    assert app.select_slider(key="sweep.look").options[-2:] == ["1,809", "2,005"]
    sound(app.text_input(key="axis.values").set_value("32, 64").run())
    assert (len(app.warning), app.query_params["sweep.equal"]) == (0, "images")
    assert "4 runs** of 2,005 to 4,010 steps" in words(app)
    assert batch in words(app)
    assert app.select_slider(key="sweep.look").options[-2:] == ["about 90%", "100%"]


def test_the_page_opens_on_recorded_runs() -> None:
    app = opened(PAGE, {})
    assert not app.query_params
    assert "12 runs** of 300 steps, each trained before and kept" in words(app)
    assert len(recorded_results().by_digest) >= 12
    assert "Bins: the sweep tries **4, 10, 25, 100**." in words(app)
    assert not [slider for slider in app.slider if slider.key == "loss.fastap.bins"], "its value has no effect here"
