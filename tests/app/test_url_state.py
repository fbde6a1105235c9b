"""The address of a page and its controls say the same, in both directions."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import url_state
from tests.samples import for_each


def page_with_knobs() -> None:
    from dataclasses import dataclass

    import streamlit as st

    from dml_viz.app.controls import PageControls
    from dml_viz.app.page import page
    from dml_viz.params import param, params, training_params

    @dataclass(frozen=True)
    class Knobs:
        bins: int = param(10, "bins", "B", domain="[1, 1000]", slider=(4, 100, 1))
        margin: float = param(0.2, "margin", "m", domain="[0, 4]", slider=(0, 1, 0.05))
        rate: float = param(0.001, "rate", "η", domain="(0, 1]", slider=(1e-5, 1), log=True)
        squared: bool = param(True, "squared", training=False)
        mining: str = param("all", "mining", choices=("all", "hard"))

    with page("Knobs", "They turn."):
        scene = PageControls().choice("scene", "Scene", ("a", "b", "training", "none"), "a")
        drawn = scene != "none" and PageControls().knobs(Knobs, "knobs", knobs=training_params if scene == "training" else params)
        st.code(repr(drawn))
        st.code(scene)


def opened(**asked: str) -> AppTest:
    app = AppTest.from_function(page_with_knobs)
    for key, value in asked.items():
        app.query_params[key.replace("_", ".")] = value
    return app.run()


def test_defaults_leave_the_address_empty() -> None:
    app = opened()
    assert not app.exception
    assert dict(app.query_params) == {}
    assert not app.warning


def test_a_link_sets_every_kind_of_control() -> None:
    app = opened(knobs_bins="50", knobs_margin="0.35", knobs_squared="False", knobs_mining="hard", knobs_rate="0.02", scene="b")
    assert app.code[0].value.endswith("Knobs(bins=50, margin=0.35, rate=0.02, squared=False, mining='hard')")
    assert app.code[1].value == "b"
    assert not app.warning
    assert app.query_params["knobs.bins"] == "50"


def test_moving_a_control_moves_the_address() -> None:
    app = opened()
    app.slider(key="knobs.bins").set_value(42).run()
    assert app.query_params["knobs.bins"] == "42"
    app.slider(key="knobs.bins").set_value(10).run()
    assert "knobs.bins" not in app.query_params


def turned_to(app: AppTest, scene: str) -> AppTest:
    """Go to another page, where the control of that key has another default or is missing."""
    return app.segmented_control(key="scene").set_value("none").run().segmented_control(key="scene").set_value(scene).run()


def test_defaults_follow_the_page_and_changed_settings_stay() -> None:
    app = opened()
    assert app.toggle(key="knobs.squared").value
    assert not turned_to(app, "training").toggle(key="knobs.squared").value
    assert "knobs.squared" not in app.query_params
    assert turned_to(app, "a").toggle(key="knobs.squared").value
    app.toggle(key="knobs.squared").set_value(False).run()
    assert app.query_params["knobs.squared"] == "False"
    app.slider(key="knobs.bins").set_value(42).run()
    assert turned_to(app, "training").slider(key="knobs.bins").value == 42


NEAR = {
    "too large": ("knobs_bins", "5000", "bins=100, "),
    "not allowed in a link": ("knobs_bins", "2", "bins=4, "),
    "not whole": ("knobs_bins", "7.4", "bins=7, "),
    "as long as a page": ("knobs_bins", "9" * 300, "bins=100, "),
    "infinite": ("knobs_margin", "1e999", "margin=1.0, "),
    "less than nothing": ("knobs_margin", "-inf", "margin=0.0, "),
    "in capitals": ("knobs_mining", "HARD", "mining='hard'"),
    "mistyped": ("knobs_mining", "harrd", "mining='hard'"),
}
MALFORMED = {
    "not a number": ("knobs_margin", "nan"),
    "empty": ("knobs_margin", ""),
    "no such choice": ("knobs_mining", "softest"),
    "cut off": ("knobs_squared", "Fal"),
    "other digits": ("knobs_bins", "²"),
    "no such switch": ("knobs_squared", "perhaps"),
    "no such scene": ("scene", "../../etc/passwd"),
    "script": ("scene", "<script>alert(1)</script>"),
    "very long": ("scene", "x" * 100_000),
    "a very long word": ("knobs_mining", "x" * 100_000),
    "unknown setting": ("nothing_here", "1"),
}


@for_each(("key", "value", "shown"), NEAR.values(), ids=NEAR)
def test_a_link_out_of_range_gives_the_nearest_value_and_one_sentence(key: str, value: str, shown: str) -> None:
    app = opened(**{key: value})
    assert shown in app.code[0].value
    (warning,) = app.warning
    assert " is taken." in warning.value
    assert list(app.query_params) == [key.replace("_", ".")], "the address says what is shown"


def test_of_a_setting_given_twice_the_last_counts() -> None:
    app = AppTest.from_function(page_with_knobs)
    app.query_params["knobs.bins"] = ["20", "30"]
    app.run()
    assert "bins=30, " in app.code[0].value
    assert "knobs.bins is given more than once: the last counts" in app.warning[0].value.replace("\\", "")


@for_each(("key", "value"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_link_gives_the_default_and_one_sentence(key: str, value: str) -> None:
    app = opened(**{key: value})
    assert not app.exception
    assert app.code[0].value.endswith("Knobs(bins=10, margin=0.2, rate=0.001, squared=True, mining='all')")
    assert app.code[1].value == "a"
    (warning,) = app.warning
    assert len(warning.value) < 600
    assert not re.search(r"(?<!\\)[<\[]", warning.value)
    assert dict(app.query_params) == {}


def fragment_run_again() -> None:
    import streamlit as st

    from dml_viz.app import tab, url_state

    with url_state.visiting():
        begun = tab.VISIT.get().copied()
        url_state.write_setting("page.hard", 1, 0)
        url_state.restore_visit(begun)
        url_state.write_setting("page.soft", 2, 0)
        st.code(url_state.written_settings())


@pytest.mark.parametrize("again", [False, True])
def test_a_fragment_that_runs_again_keeps_only_the_current_values_of_its_controls(
    again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(url_state, "_in_fragment", lambda: again)
    app = AppTest.from_function(fragment_run_again).run()
    expected = {"page.soft": "2"} if again else {"page.hard": "1", "page.soft": "2"}
    assert app.code[0].value == str(expected)
