"""The scene editor in a page's script: the scene comes from the link, from the browser, or from a preset of the page."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app.scene_editor import scene_editor
from dml_viz.embedding.scene import SCENES, Scene, preset
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.triplet import Triplet
from dml_viz.room.scene_settings import SceneOptions
from tests import shown


def page_with_scene() -> None:
    import streamlit as st

    from dml_viz.app.page import page
    from dml_viz.app.scene_editor import scene_editor
    from dml_viz.embedding.scene import Scene
    from dml_viz.losses.margin import Margin
    from dml_viz.losses.triplet import Triplet
    from dml_viz.room.scene_settings import SceneOptions

    with page("Example", "A scene."):
        options = SceneOptions(
            "overlapping",
            roles=("anchor", "positive", "negative"),
            picked=(1,),
            proxies="proxies" in st.query_params,
            scenes=lambda: {"two": Scene(2, ((1.0,), (2.0,)), (0, 1))},
        )
        losses = {"triplet": Triplet(margin=0.3), "margin": Margin(learn_beta=True)}
        edited = scene_editor("example", options, losses, {"alpha": 1.2})
        st.session_state["held"] = edited


def opened(**asked: str) -> AppTest:
    app = AppTest.from_function(page_with_scene)
    for key, value in asked.items():
        app.query_params[key.replace("_", ".")] = value
    app.run()
    assert not app.exception
    return app


def given(app: AppTest) -> dict[str, Any]:
    (data,) = [one for one in shown.given(app) if "revision" in one]
    return data


def sent(app: AppTest, **changes: Any) -> AppTest:
    """The page after a report of the browser: the data it was given, with changes."""
    data = given(app)
    news = {name: data[name] for name in ("scene", "base", "view", "picked", "revision")}
    app.session_state["example"] = {"report": {**news, "serial": 1, "moving": False, **changes}}
    app.run()
    assert not app.exception
    return app


def test_a_page_opens_with_its_preset_and_an_empty_address() -> None:
    app = opened()
    edited = app.session_state["held"]
    assert edited.scene == preset("overlapping")
    assert edited.picked == (1, 0, 5)
    assert edited.names == ("class A", "class B", "class C")
    assert edited.subject.provenance.startswith("Scene “overlapping”: Two classes share an arc.")
    assert not edited.moving
    assert dict(app.query_params) == {}


def test_the_browser_gets_what_it_draws_and_what_it_follows() -> None:
    data = given(opened())
    assert data["scene"] == preset("overlapping").write()
    assert list(data["presets"]) == ["two", *SCENES]
    assert data["presets"]["collapsed"] == [preset("collapsed", dim).write() for dim in (2, 3)]
    assert data["losses"]["triplet"]["loss"] == "triplet"
    assert data["losses"]["triplet"]["knobs"]["margin"] == 0.3
    assert {len(values) for values in data["losses"]["margin"]["learnt"].values()} == {8}
    assert data["settings"] == {"alpha": 1.2}


def test_a_link_restores_the_scene_point_for_point() -> None:
    scene = Scene(3, ((10.25, 45.5), (20.0, -3.07), (200.0, 0.0)), (0, 0, 1))
    app = opened(example_at=scene.write(), example_view="10_-80", example_anchor="1", example_scene="two")
    edited = app.session_state["held"]
    assert edited.scene == scene
    assert edited.picked == (1, 0, 2)
    assert given(app)["view"] == "10_-80"
    assert edited.subject.provenance == "A scene of 3 points of 2 classes on the sphere, placed by hand."
    assert app.query_params["example.at"] == scene.write()
    assert dict(app.query_params) == {
        "example.scene": "two",
        "example.at": scene.write(),
        "example.dim": "3",
        "example.view": "10_-80",
        "example.negative": "2",
    }, "the anchor and its positive are those that the page begins with"


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"example_at": "a80"}, "a scene of 1 points cannot be had; give 2 to 60"),
        ({"example_at": "a" * 200_000}, "a scene of 200000 characters is too long"),
        ({"example_view": "round"}, "view = 'round' is no side; write the turn and the tilt in degrees"),
        ({"example_anchor": "60"}, "anchor = 60 is not allowed; choose a whole number"),
    ],
)
def test_a_link_to_an_unknown_scene_gets_a_sentence_and_the_preset(asked: dict[str, str], complaint: str) -> None:
    app = opened(**asked)
    assert complaint in app.warning[0].value.replace("\\", "")
    assert app.session_state["held"].scene == preset("overlapping")


def test_the_complete_points_of_a_truncated_scene_are_shown() -> None:
    app = opened(example_at="a10_20.5b30_40b")
    assert app.session_state["held"].scene == Scene.read("a10_20.5b30_40")
    assert "what is whole before that is shown" in app.warning[0].value
    assert app.query_params["example.at"] == "a10_20.5b30_40"
    app = opened(example_dim="4")
    assert "dim = 4 is not allowed; choose 2, 3 (default 2)" in app.warning[0].value.replace("\\", "")
    assert app.session_state["held"].scene == preset("overlapping", 3)


def test_a_lesson_locks_the_scene_against_presets_of_the_page() -> None:
    app = opened(example_at="a10_20b30_40", lock="example.scene~example.move~example.tools", hide="example.dim~example.pick")
    assert given(app)["lesson"] == {"scene": "locked", "dim": "hidden", "move": "locked", "tools": "locked", "pick": "hidden"}
    app.session_state["example.scene"], app.session_state["example.at"] = "collapsed", ""
    app.run()
    assert app.session_state["held"].scene == Scene.read("a10_20b30_40")
    assert given(app)["revision"] == 0


def test_the_page_and_the_link_get_the_scene_of_the_browser() -> None:
    scene = Scene(2, ((10.0,), (20.5,), (30.0,)), (0, 0, 1))
    app = sent(opened(), scene=scene.write(), picked=[1, 0, 2], base="two")
    assert app.session_state["held"].scene == scene
    assert app.session_state["held"].picked == (1, 0, 2)
    assert app.query_params["example.at"] == scene.write()
    assert app.query_params["example.scene"] == "two"
    data = given(app)
    assert (data["revision"], data["serial"]) == (0, 1), "Python has moved nothing"


def test_during_a_drag_the_page_follows_and_the_address_waits() -> None:
    app = sent(opened(), scene="a10_20b30", moving=True)
    assert app.session_state["held"].scene == Scene.read("a10_20b30")
    assert app.session_state["held"].moving
    assert dict(app.query_params) == {}


def test_a_preset_of_the_page_moves_the_points_under_a_new_revision() -> None:
    app = sent(opened(), scene="a10_20b30")
    app.session_state["example.scene"], app.session_state["example.at"] = "collapsed", ""
    app.run()
    assert app.session_state["held"].scene == preset("collapsed")
    assert given(app)["revision"] == 1
    assert dict(app.query_params)["example.scene"] == "collapsed"


def test_a_browser_with_an_older_scene_than_python_is_ignored() -> None:
    app = opened()
    app.session_state["example.scene"] = "collapsed"
    app.run()
    sent(app, scene="a10_20b30", revision=0)
    assert app.session_state["held"].scene == preset("collapsed")


@pytest.mark.parametrize("nonsense", [{"scene": "a80"}, {"base": "moons"}, {"picked": None}, {"view": "<b>"}])
def test_nonsense_from_a_browser_is_answered_with_the_scene_of_python(nonsense: dict[str, Any]) -> None:
    app = sent(opened(), **nonsense)
    assert app.session_state["held"].scene == preset("overlapping")
    assert given(app)["revision"] == 1


def test_a_scene_without_proxies_gets_them_where_the_page_has_proxies() -> None:
    app = opened(example_at="a10_20b200", proxies="yes")
    assert len(app.session_state["held"].scene.proxies) == 2
    assert set(app.session_state["held"].subject.learnt) == {"proxies"}


def test_a_scene_that_cannot_be_drawn_raises() -> None:
    with pytest.raises(ValueError, match="scene 'moons' is not known; choose one of separated"):
        scene_editor("example", SceneOptions("moons"))
    with pytest.raises(ValueError, match="role 'judge' is not known; choose from query, anchor"):
        scene_editor("example", SceneOptions("collapsed", roles=("judge",)))


def test_a_loss_with_proxies_asks_for_proxies() -> None:
    from dml_viz.room.scene_settings import followed

    assert followed("anchor", ProxyAnchor(), True)["proxies"]
    assert not followed("triplet", Triplet(), True)["proxies"]
    with pytest.raises(ValueError, match="loss 'anchor' needs 1 proxies for each class; the scene has 0"):
        followed("anchor", ProxyAnchor(), False)
