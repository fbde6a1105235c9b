"""The content of a drawer is drawn while it is open; when closed, its settings stay in the link and its figures on offer."""

from streamlit.testing.v1 import AppTest

from dml_viz.app import tab
from tests.shown import given, opened, ran, unfold

PAGE = "22_pairs.py"
BEHIND = "pairs-planes"  # a figure behind one click, in a drawer that has a control of its own


def drawn(app: AppTest) -> set[str]:
    """The figures that the browser shows."""
    return {each["recipe"]["figure"] for each in given(app) if "recipe" in each}


def offered(app: AppTest) -> set[str]:
    """The figures that a lesson can hide and Share can name."""
    return set(app.session_state[tab.VISIT.name].offered)


def test_a_closed_drawer_is_drawn_on_arrival_only_and_an_open_one_always() -> None:
    app = opened(PAGE, {})
    arrived, known = drawn(app), offered(app)
    assert BEHIND in arrived
    ran(app)
    assert drawn(app) < arrived
    assert BEHIND not in drawn(app)
    assert offered(app) == known
    ran(unfold(app))
    assert drawn(app) == arrived


def test_a_link_keeps_the_setting_of_a_closed_drawer() -> None:
    app = ran(opened(PAGE, {"pairs.axes": "degrees"}))
    assert app.query_params["pairs.axes"] == "degrees"
    assert BEHIND in drawn(app)


def test_a_figure_in_a_frame_is_drawn_wherever_it_is() -> None:
    app = ran(opened(PAGE, {"only": BEHIND}))
    assert not app.warning
    assert BEHIND in drawn(app)
