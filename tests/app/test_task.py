"""A lesson in a link: its question is unchanged, its locked and hidden controls are fixed, all others are free."""

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.room.markdown import to_the_letter
from dml_viz.room.task import LONGEST, Task

QUESTION = "Which point **moves** most if <b>m</b> grows to $m^2$?"
SHOWN = f"{to_the_letter('Which point **moves** most if <b>m</b> grows to ')}$m^2$?"


def page_with_knobs() -> None:
    from dataclasses import dataclass

    import streamlit as st

    from dml_viz.app.controls import PageControls
    from dml_viz.app.page import page
    from dml_viz.app.presets import Preset, preset_row
    from dml_viz.params import param

    @dataclass(frozen=True)
    class Knobs:
        bins: int = param(10, "bins", "B", domain="[1, 1000]", slider=(4, 100, 1))
        margin: float = param(0.2, "margin", "m", domain="[0, 4]", slider=(0, 1, 0.05))
        squared: bool = param(True, "squared")

    with page("Knobs", "They turn."):
        preset_row((Preset("Wide", {"knobs.margin": 0.9, "knobs.bins": 99, "scene": "b"}),))
        st.code(repr(PageControls().knobs(Knobs, "knobs")))
        st.code(PageControls().choice("scene", "Scene", ("a", "b"), "a"))
        st.code(PageControls().number("query", "Query", 0, 12, 3))


def opened(lesson: Task, **asked: str) -> AppTest:
    app = AppTest.from_function(page_with_knobs)
    for key, value in {**lesson.write(), **asked}.items():
        app.query_params[key.replace("_", ".")] = value
    app.run()
    assert not app.exception
    return app


def test_a_lesson_comes_back_from_its_link() -> None:
    lesson = Task(QUESTION, "The nearest, at 12°.", ("knobs.bins",), ("scene", "query"))
    assert Task.read(lesson.write()) == (lesson, [])
    assert "nearest" not in str(lesson.write()), "nobody reads the answer in the address by accident"
    assert Task.read({}) == (Task(), [])
    assert not Task()


def test_a_question_is_shown_literally_except_for_tex_and_its_answer_on_demand() -> None:
    app = opened(Task(QUESTION, "The *nearest*."))
    claim = "They turn."
    assert [text.value for text in app.markdown] == [claim, SHOWN, "**Break it**"]
    app.button(key="lesson.answer").click().run()
    assert [text.value for text in app.markdown] == [claim, SHOWN, r"The \*nearest\*.", "**Break it**"]
    app.button(key="lesson.answer").click().run()
    assert [text.value for text in app.markdown] == [claim, SHOWN, "**Break it**"]


def test_locked_controls_are_drawn_with_their_values_and_cannot_be_moved() -> None:
    app = opened(Task(locked=("knobs.bins", "knobs.squared", "scene", "query")), knobs_bins="20", scene="b")
    assert app.slider(key="knobs.bins").disabled
    assert app.slider(key="knobs.bins").value == 20
    assert app.toggle(key="knobs.squared").disabled
    assert app.segmented_control(key="scene").disabled
    assert app.slider(key="query").disabled
    assert not app.slider(key="knobs.margin").disabled


def test_hidden_controls_keep_their_values() -> None:
    app = opened(Task(hidden=("knobs.bins", "scene", "query", "presets")), knobs_bins="20", scene="b", query="7")
    assert [slider.key for slider in app.slider] == ["knobs.margin"]
    assert not app.segmented_control
    assert app.code[0].value.endswith("Knobs(bins=20, margin=0.2, squared=True)")
    assert [code.value for code in app.code[1:]] == ["b", "7"]
    assert not [button for button in app.button if str(button.key).startswith("break.")]
    app.slider(key="knobs.margin").set_value(0.5).run()
    assert app.code[0].value.endswith("bins=20, margin=0.5, squared=True)")


def test_a_preset_changes_only_the_free_controls() -> None:
    app = opened(Task(locked=("knobs.bins",), hidden=("scene",)), knobs_bins="20")
    app.button(key="break.Wide").click().run()
    assert app.code[0].value.endswith("Knobs(bins=20, margin=0.9, squared=True)")
    assert app.code[1].value == "a"


def test_presets_can_be_locked_as_well() -> None:
    assert opened(Task(locked=("presets",))).button(key="break.Wide").disabled


def test_the_address_keeps_the_lesson_while_controls_move() -> None:
    lesson = Task(QUESTION, "", ("knobs.bins",), ("scene",))
    app = opened(lesson)
    app.slider(key="knobs.margin").set_value(0.5).run()
    assert dict(app.query_params) == {**lesson.write(), "knobs.margin": "0.5"}


@pytest.mark.parametrize(
    ("asked", "warning"),
    [
        ({"lock": "knobs.bins~nowhere~<b>"}, "names “nowhere”, no control of this page"),
        ({"lock": "../../etc/passwd"}, "names “../../etc/passwd”, no control"),
        ({"ask": "why " * 100}, f"question has 399 characters: its first {LONGEST['ask']} are shown"),
        ({"answer": "%%%"}, "answer cannot be read"),
        ({"hide": "~".join(f"k{i}" for i in range(300))}, "names 300 controls: the first 100 count"),
    ],
)
def test_a_fault_in_a_lesson_gets_a_sentence_and_the_rest_is_used(asked: dict[str, str], warning: str) -> None:
    app = opened(Task(hidden=("scene",)), **asked) if "hide" not in asked else opened(Task(), **asked)
    assert warning in app.warning[0].value.replace("\\", "")
    assert len(app.warning[0].value) < 700
    assert not app.exception
    if "hide" not in asked:
        assert not app.segmented_control


def test_figures_can_be_hidden_and_not_locked() -> None:
    from tests.shown import opened as page_opened

    app = page_opened("64_fastap.py", {"hide": "figure.fastap-pipeline", "lock": "figure.fastap"})
    assert not app.warning
    styles = "".join(element.proto.body for element in app.get("html"))
    assert ".st-key-fastap-pipeline { display: none !important; }" in styles
    assert ".st-key-fastap { display" not in styles
    assert app.query_params["hide"] == "figure.fastap-pipeline"
