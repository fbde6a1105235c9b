"""Every page runs: as it opens, at both ends of every control, and from any link, with one sentence on what is impossible."""

import gc
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any
from weakref import finalize

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz import explain
from dml_viz.app import provenance_log, tab
from dml_viz.figure_files.spec import RECORDED, Spec
from dml_viz.losses import LOSSES
from dml_viz.params import training_params
from dml_viz.room.ask import KEY as VERSION
from dml_viz.serve import server
from dml_viz.serve.figure_store import store
from tests import shown
from tests.samples import THOROUGH, sample
from tests.shown import comes_to_hold
from tests.words import findings_on

pytestmark = pytest.mark.usefixtures("workers", "coarse", "unpriced")
PAGES = sorted((Path(__file__).parents[2] / "pages").glob("[0-9]*_*.py"))
MOST_TRIED = 2  # options of a menu
LINKED, LOCKED = (PAGES, PAGES) if THOROUGH else (PAGES[::2], PAGES[1::2])  # all read links by the same code
NONSENSE = (
    "nan", "1e999", "-1e999", "", "<script>alert(1)</script>", "../../../etc/passwd", "x" * 100_000, "☃\u202eoverlapping",
    "a80_90b", "**bold** [here](javascript:alert(1))", "0x10", "None", "%00", "[1, 2]", "{{7*7}}", "' OR 1=1 --",
)  # fmt: skip
LESSON = {"ask": "<img src=x onerror=alert(1)>" * 50, "lock": "nowhere~../x", "hide": "~~", "answer": "!", "s": "1@@@"}
MARKUP = re.compile(r"(?<!\\)[<\[*]")
CONTROLS = ("slider", "select_slider", "toggle", "selectbox", "button_group", "text_input", "number_input")


def opened(page: Path, **link: str) -> AppTest:
    return sound(shown.opened(page.name, link))


@cache
def opened_plainly(page: Path) -> tuple[AppTest, list[Spec]]:
    """A page as it opens, for tests that change nothing of it, and the recipes of its figures."""
    made, spec = list[Spec](), provenance_log.spec
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provenance_log, "spec", lambda *of, **more: made.append(spec(*of, **more)) or made[-1])
        return opened(page), made


def opens(page: str) -> Mapping[str, Any]:
    """What the room of a page opens with in place of its defaults."""
    name = f"{explain.__name__}.{page}"
    room = getattr(import_module(name), "ROOM", None) if find_spec(name) else None
    return room.opens if room else {}


def sound(app: AppTest) -> AppTest:
    assert len(shown.sound(app).title) == 1
    return app


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_opens_with_one_title_in_plain_english_and_its_recipes_have_all_its_controls(page: Path) -> None:
    app, made = opened_plainly(page)
    faults = list(findings_on(app, page.name))
    assert not faults, "\n".join([*faults, f"see python -m tests.words {page.name}"])
    assert not app.warning
    assert set(app.query_params) <= {VERSION, *opens(page.stem.partition("_")[2])}
    visit = app.session_state[tab.VISIT.name]
    # What a page draws below a figure is asked for by its room before, or the recipe of that figure would lack it.
    controls = visit.offered.keys() & visit.memory.keys()
    for recipe in made:
        recorded = recipe.run and recipe.run.get(RECORDED)
        assert recorded or controls <= recipe.settings.keys(), (recipe.figure, controls - recipe.settings.keys())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_survives_both_ends_of_its_sliders_and_a_control_that_is_drawn_again_keeps_its_value(page: Path) -> None:
    app = opened(page)
    for end in ("min", "max"):
        for slider in app.slider:
            slider.set_value(getattr(slider, end))
        sound(app.run())
    # As in a browser that missed the message of the run before.
    for slider in app.slider:
        assert list(slider.proto.default) == [slider.value], slider.key
    for toggle in app.toggle:
        assert toggle.proto.default == toggle.value, toggle.key
    for menu in app.selectbox:
        assert menu.proto.default == menu.index, menu.key
    for choice in app.segmented_control:
        assert [choice.options[k] for k in choice.proto.default] == [choice.format_func(choice.value)], choice.key


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_survives_every_choice(page: Path) -> None:
    # A live run is then a quick one.
    of_runs = "subject" in opened_plainly(page)[0].session_state[tab.VISIT.name].offered
    app = opened(page, **({"data": "digits", "net": "mlp", "mlp.width": "16", "run.steps": "20"} if of_runs else {}))
    # Some options of a long menu: every loss has its knobs tried below, every method has its own test.
    menus = {menu.key: (menu.options[menu.index or 0], sample(menu.options, MOST_TRIED)) for menu in app.selectbox}
    # A live run, chosen below, is of what the page opens with; a teacher would be trained before its pupil.
    for turn in range(MOST_TRIED + 1):
        for menu in app.selectbox:
            first, some = menus.get(menu.key, ("", ()))
            option = some[turn] if turn < len(some) else first
            if option in menu.options:
                menu.select(option)
        sound(app.run())
    own = {choice.key: chosen(choice) for choice in app.segmented_control}
    left = [(choice.key, option) for choice in app.segmented_control for option in choice.options if option != own[choice.key]]
    # An option of every choice at a time; then, with all others at their own, what was not there, and what the page looks at.
    for _ in range(max((len(choice.options) - 1 for choice in app.segmented_control), default=0)):
        for choice in app.segmented_control:
            found = [pair for pair in left if pair[0] == choice.key != "subject" and pair[1] in choice.options]
            if found:
                left.remove(found[0])
                choice.set_value(found[0][1])
        sound(app.run())
    for key, option in sample(left, 3):
        while changed := [choice for choice in app.segmented_control if own.get(choice.key, "") not in ("", chosen(choice))]:
            for choice in changed:
                choice.set_value(own[choice.key])
            sound(app.run())
        sound(app.segmented_control(key=key).set_value(option).run())


def chosen(choice: Any) -> str:
    """The option of a choice as it is shown."""
    return str(choice.format_func(choice.value))


@pytest.mark.parametrize("page", LOCKED, ids=lambda page: page.stem)
def test_a_lesson_can_lock_or_hide_every_control_of_a_page(page: Path) -> None:
    offered = opened_plainly(page)[0].session_state[tab.VISIT.name].offered
    locked, hidden = sorted(offered)[::2], sorted(offered)[1::2]
    for lock, hide in ((locked, hidden), (hidden, locked)) if THOROUGH or LOCKED.index(page) % 2 else ((hidden, locked),):
        app = opened(page, lock="~".join(lock), hide="~".join(hide))
        assert not app.warning
        drawn = {each.key: each for kind in CONTROLS for each in app.get(kind)}
        assert all(each.disabled for each in drawn.values()), [key for key, each in drawn.items() if not each.disabled]
        assert not drawn.keys() & set(hide)


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.stem)
def test_every_setting_of_every_page_survives_nonsense(page: Path) -> None:
    known = sorted(opened_plainly(page)[0].session_state[tab.VISIT.name].known - set(LESSON))
    turn = PAGES.index(page)  # what is shared by pages gets other nonsense on each
    asked = {key: NONSENSE[(place + turn) % len(NONSENSE)] for place, key in enumerate(known)}
    app = opened(page, **asked, **LESSON, **{"unheard.of": "1"})
    (warned,) = [warning.value for warning in app.warning if "cannot be had" in warning.value]
    assert not MARKUP.search(warned)
    assert len(warned) < 1500
    (question,) = [each.value for each in (*app.markdown, *app.caption) if "alert" in each.value]
    assert question.startswith(r"\<img src=x onerror=alert(1)\>"), "the question is shown to the letter"
    assert not MARKUP.search(question)
    again = opened(page, **dict(app.query_params))
    assert not again.warning, "the address that the page has settled on is a good one"
    assert lasting(again) == lasting(app)


def lasting(app: AppTest) -> dict[str, str]:
    """The address without the session's run."""
    return {key: text for key, text in app.query_params.items() if not key.endswith(".run")}


@pytest.mark.parametrize("loss", sample(LOSSES, 6))  # cards of the reference have the knobs of every loss at their ends
def test_the_recipe_survives_both_ends_of_the_knobs_of_every_loss(loss: str) -> None:
    (page,) = (page for page in PAGES if page.stem.endswith("train"))
    app = opened(page, loss=loss)
    assert not app.warning
    shown_knobs = {each.key: each.value for kind in CONTROLS for each in app.get(kind)}
    knobs = training_params(LOSSES[loss])
    defaults = {knob.name: knob.default for knob in knobs}
    for knob in knobs:
        if knob.has_effect(defaults):
            assert shown_knobs[f"loss.{loss}.{knob.name}"] == knob.default
    for end in ("min", "max"):
        for slider in app.slider:
            slider.set_value(getattr(slider, end))
        for switch in app.toggle:
            switch.set_value(not switch.value)
        sound(app.run())


@pytest.mark.parametrize("named", ["fastap", "proxies"])
def test_a_link_to_a_step_of_a_run_trains_to_it_and_a_page_looks_at_it_and_its_figures_do_not_keep_it(named: str) -> None:
    (page,) = (page for page in PAGES if page.stem.endswith(named))
    app = opened(
        page, **{"subject": "live run", "data": "digits", "net": "mlp", "run.dim": "3", "run.steps": "200", "step": "50"}
    )
    live = server.engine().get(app.session_state["live.id"])
    assert live
    assert comes_to_hold(live, lambda run: run.status == "paused")
    sound(app.run())
    assert live.step == 50
    assert app.query_params["step"] == "50"
    assert app.query_params["run.steps"] == "200"
    assert any("step 50" in element.value for element in (*app.caption, *app.markdown)), [
        element.value for element in app.caption
    ]
    freed = Event()
    finalize(live, freed.set)
    assert any(offer.moved and offer.model for offer in store().offers)
    server.engine().close_jobs_of(live.owner)
    del app, live
    # A thread of the engine may look at the job for another moment.
    assert any(gc.collect() >= 0 and freed.wait(1) for _ in range(10)), "figures on offer keep the history of a closed run"
