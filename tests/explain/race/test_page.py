"""The race page and the forks of the training page, as their scripts see them."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.engine import Job
from dml_viz.engine.recordings import RACE as RACE_AS_OPENED
from dml_viz.engine.recordings import RACE_OVER_SEEDS, RECORDED, recording_of
from dml_viz.explain.race.controls import PRESETS
from dml_viz.explain.race.settings import BEFORE, VERSIONS, RacersText, race_settings
from dml_viz.room.link_reader import LinkReader
from dml_viz.serve import server
from dml_viz.serve.files import address
from dml_viz.training.race_url import write_racers
from tests import shown
from tests.samples import for_each
from tests.shown import comes_to_hold, opened, sound, words

RACE, TRAIN = "82_race.py", "80_train.py"
DIGITS = {"data": "digits", "net": "mlp", "run.dim": "3"}
QUICK = {**DIGITS, "race.seeds": "1", "run.steps": "100", "racers": "fastap~triplet.margin:0.5"}

pytestmark = pytest.mark.usefixtures("workers")


def given(app: AppTest) -> dict[str, Any]:
    """The data of the live picture."""
    (picture,) = [one for one in shown.given(app) if "layout" in one]
    return dict(picture)


def pressed(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def opening(app: AppTest, place: int) -> AppTest:
    app.session_state["race.edit"] = place
    return sound(app.run())


def racing(app: AppTest, seat: str = "race") -> Job:
    live = server.engine().get(app.session_state[f"{seat}.id"])
    assert live is not None
    return live


def test_the_page_opens_on_a_recorded_race_and_states_the_cost_of_one() -> None:
    app = opened(RACE, {})
    assert (given(app)["mode"], given(app)["url"], given(app)["layout"]) == (
        "recorded",
        f"/{address('recorded/race.bin')}",
        "race",
    )
    assert any("2,400 steps" in caption.value for caption in app.caption)
    assert dict(app.query_params) == {"v": VERSIONS.version}


LINKS = {
    "what the page opens with": ({"v": "2"}, RACE_AS_OPENED),
    "an address with a prediction alone": ({"predict": "race.best"}, RACE_AS_OPENED),
    "a link of before, with its step alone": ({"race.step": "300"}, RACE_OVER_SEEDS),
    "a link of before, with all its settings": (dict(BEFORE), RACE_OVER_SEEDS),
    "the race over seeds, as links write it now": ({"v": "2", **BEFORE}, RACE_OVER_SEEDS),
}


@pytest.mark.parametrize("link", LINKS)
def test_a_link_of_any_version_opens_the_race_that_it_was_copied_from(link: str) -> None:
    asked, race = LINKS[link]
    (name,) = (name for name, one in RECORDED.items() if one is race)
    assert recording_of(race_settings(LinkReader(asked))) == name
    if "race.step" in asked:
        return  # a step trains a race on the page
    app = opened(RACE, asked)
    assert given(app)["url"] == f"/{address(f'recorded/{name}.bin')}"
    assert not app.warning
    assert recording_of(race_settings(LinkReader(dict(app.query_params)))) == name


def test_a_file_of_before_versions_keeps_the_race_of_then() -> None:
    assert recording_of(race_settings(LinkReader({}, written=True))) == "race_over_seeds"
    assert recording_of(race_settings(LinkReader({}))) == "race"


def test_a_link_of_a_version_to_come_is_answered_in_words() -> None:
    app = opened(RACE, {"v": "99", "race.seeds": "2", "run.steps": "100"})
    (warning,) = app.warning
    assert "version 99" in warning.value
    assert racing(app).experiment.seeds == 2


def test_a_link_starts_a_race_of_its_racers() -> None:
    app = opened(RACE, QUICK)
    live = racing(app)
    assert given(app)["url"] == f"/live/{live.id}"
    assert live.experiment.titles == ("FastAP", "Triplet, margin 0.5")
    assert comes_to_hold(live, lambda race: race.status == "done")
    sound(app.run())
    assert app.query_params["racers"] == "fastap~triplet.margin:0.5"
    assert app.query_params["race.step"] == "100"


def test_a_race_that_lost_a_run_offers_to_train_it_again_and_one_that_stopped_only_says_so() -> None:
    app = opened(RACE, QUICK)
    live = racing(app)
    assert comes_to_hold(live, lambda race: race.status == "done")
    live._members.land(1, lambda member: member.lose("no worker could be started", worker_died=False))
    assert live.status == "incomplete"
    again = sound(app.run()).button(key="race.go")
    assert again.label == "Train 1 missing run"
    sound(again.click().run())
    assert racing(app) is live
    assert comes_to_hold(live, lambda race: race.status == "done")
    live._members.land(1, lambda member: setattr(member, "_stopped", "Stopped at step 12: the loss is not finite."))
    ended = sound(app.run())
    assert "race.go" not in [button.key for button in ended.button]
    [words] = [shown.value for shown in ended.markdown if shown.value.startswith("All 100 steps are trained.")]
    assert re.search(r"1 of 2 runs stopped before the end; .*: Stopped at step 12: the loss is not finite\.$", words)


def test_a_racer_is_opened_changed_forked_and_removed() -> None:
    app = opening(opened(RACE, QUICK), 1)
    sound(app.slider(key="race.of.1.triplet.margin").set_value(1.0).run())
    assert app.query_params["racers"] == "fastap~triplet.margin:1.0"
    sound(app.selectbox(key="race.of.1.loss").select("circle").run())
    assert app.query_params["racers"] == "fastap~circle"
    sound(app.selectbox(key="race.of.1.of").select(0).run())
    assert app.query_params["racers"] == "fastap~circle@50-1"
    sound(app.number_input(key="race.of.1.step").set_value(20).run())
    assert app.query_params["racers"] == "fastap~circle@20-1"
    sound(app.select_slider(key="race.of.1.lr").set_value(0.001).run())
    assert app.query_params["racers"] == "fastap~circle.lr:0.001@20-1"
    racing(app).reset()  # else a quick worker may have trained some steps
    pressed(app, "race.fork")
    assert app.query_params["racers"].count("~") == 1
    [message] = [warning.value for warning in app.warning]
    assert message.startswith("Step 0 is shown. A racer forks at a step in [1, ")
    pressed(app, "race.add")
    assert app.session_state["race.edit"] == 2
    assert app.query_params["racers"].count("~") == 2
    pressed(opening(app, 0), "race.remove")
    assert app.query_params["racers"].startswith("circle.lr:0.001~")


def test_a_racer_that_races_already_is_refused_in_words() -> None:
    app = opening(opened(RACE, QUICK), 1)
    sound(app.selectbox(key="race.of.1.loss").select("fastap").run())
    assert "already" in app.warning[0].value
    assert app.query_params["racers"] == "fastap~triplet.margin:0.5"


def test_a_race_has_two_to_twelve_racers() -> None:
    app = pressed(opened(RACE, {}), "preset.Twelve at once")
    assert app.query_params["racers"].count("~") == 11
    assert app.button(key="race.add").disabled
    app = opening(opened(RACE, QUICK), 0)
    assert app.button(key="race.remove").disabled


def test_a_running_race_is_extended_by_its_budget_and_restarted_by_any_other_change() -> None:
    app = opened(RACE, QUICK)
    first = racing(app)
    sound(app.select_slider(key="run.steps").set_value(200).run())
    assert racing(app) is first
    assert first.budget == 200
    sound(app.slider(key="race.seeds").set_value(2).run())
    assert first.closed
    assert racing(app).experiment.seeds == 2


def test_a_malformed_link_gives_the_nearest_race_and_one_sentence() -> None:
    app = opened(RACE, {"racers": "fastap.bins:900~nothing~triplet", "race.seeds": "9", "race.step": "x"})
    (warning,) = app.warning
    for word in ("bins", "nothing", "seeds", "step"):
        assert word in warning.value
    assert app.query_params["racers"] == "fastap.bins:100~triplet"


def test_a_link_out_of_range_names_the_values_used_instead() -> None:
    app = opened(
        RACE, {**DIGITS, "racers": "triplet.margin:99~fastap", "race.seeds": "1", "run.steps": "100", "race.step": "50000"}
    )
    (warning,) = app.warning
    assert "1.0 is the nearest" in warning.value
    assert "50000" in warning.value
    assert ": 100 is taken" in warning.value
    live = racing(app)
    assert comes_to_hold(live, lambda race: race.status == "done" and race.step == 100)


def test_a_link_to_a_step_of_a_race_trains_to_it() -> None:
    live = racing(opened(RACE, {**QUICK, "race.step": "34"}))
    assert comes_to_hold(live, lambda race: race.status == "paused" and race.step == 34)
    assert live.steps[-1] == 34


def test_a_run_is_forked_from_the_training_page_and_the_link_brings_both_branches_back() -> None:
    app = opened(TRAIN, {**DIGITS, "run.steps": "100"})
    run = racing(app, "live")
    run.set_steps_per_frame(None)
    assert comes_to_hold(run, lambda one: one.status == "done")
    app.session_state["step"] = 55
    pressed(app, "fork.make")
    assert app.query_params["fork"] == "fastap@55-1"
    assert given(app)["layout"] == "race"
    sound(app.selectbox(key="fork.open.loss").select("triplet").run())
    live = racing(app, "fork")
    assert comes_to_hold(live, lambda race: race.status == "done")
    expected = live.frames(100)
    sound(app.run())
    again = racing(opened(TRAIN, {**DIGITS, "run.steps": "100", "fork": "triplet@55-1"}), "fork")
    assert again is not live
    assert comes_to_hold(again, lambda race: race.status == "done")
    same = again.frames(100)
    assert expected
    assert same
    for mine, theirs in zip(expected.members, same.members, strict=True):
        assert mine is not None
        assert theirs is not None
        assert (mine.z == theirs.z).all()
    pressed(app, "fork.leave")
    assert "fork" not in app.query_params
    assert given(app)["layout"] == "train"


@pytest.mark.parametrize("fork", ["triplet", "triplet@5-2", "@", "triplet@5000-1", "fastap~triplet@5-1"])
def test_a_malformed_fork_is_left_out_with_a_sentence(fork: str) -> None:
    app = opened(TRAIN, {"fork": fork, "run.steps": "100"})
    assert app.warning
    assert given(app)["layout"] == "train"


def test_a_fork_with_an_invalid_knob_takes_the_nearest_with_a_sentence() -> None:
    app = opened(TRAIN, {"fork": "triplet.margin:99@5-1", "run.steps": "100"})
    (warning,) = app.warning
    assert "1.0 is the nearest" in warning.value
    assert app.query_params["fork"] == "triplet.margin:1.0@5-1"


@for_each("preset", PRESETS)
def test_every_preset_is_a_race_that_a_link_can_write(preset: str) -> None:
    settings, _ = PRESETS[preset]
    assert RacersText().read(settings["racers"]) == settings["racers"]
    race = race_settings(LinkReader({key: str(value) for key, value in settings.items()}))
    assert write_racers(race.racers) == settings["racers"]  # no racer's own setting is left out


def test_racers_differ_by_the_chosen_changes_and_are_equal_again_without_them() -> None:
    app = opening(opened(RACE, QUICK), 1)
    sound(app.multiselect(key="race.differ").set_value(["sampler", "dim"]).run())
    sound(app.slider(key="race.of.1.sampler.samples").set_value(16).run())
    assert app.query_params["racers"] == "fastap~triplet.margin:0.5.sampler.samples:16"
    assert racing(app).experiment.titles == ("FastAP", "Triplet, margin 0.5, samples 16")
    assert "A batch holds 40 to 80 images of 5 classes" in words(app)
    sound(app.multiselect(key="race.differ").set_value([]).run())
    assert app.query_params["racers"] == "fastap~triplet.margin:0.5"


def test_a_racers_knob_that_the_race_no_longer_has_is_reported() -> None:
    app = opened(RACE, {**QUICK, "net": "mlp", "racers": "fastap~triplet.net.pooling:mean"})
    assert any("Racer B: this race has no net.pooling" in warning.value for warning in app.warning)
    assert racing(app).experiment.titles == ("FastAP", "Triplet")
