"""The page of one's own loss: its first state, a text that is no formula, and links for the formula."""

from dataclasses import replace

import pytest

from dml_viz.app import figure
from dml_viz.embedding.scene import NO_POSITIVES, Scene, preset_embeddings
from dml_viz.explain.race.settings import race_settings
from dml_viz.explain.your_formula.figures.gradient import flow, likeness
from dml_viz.explain.your_formula.model import TripletChoice, model
from dml_viz.explain.your_formula.presets import BEYOND_90, PRESETS
from dml_viz.explain.your_formula.text import HOLDS, claim, page_links
from dml_viz.figure_files.spec import declared_run
from dml_viz.losses.formula import NAMES, Formula, parsed
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.room import NoModelError
from dml_viz.room.run_form import run_form, run_link
from dml_viz.training.run import Run
from tests.shown import Shown, opened, sound

pytestmark = pytest.mark.usefixtures("coarse")
PAGE, BOX = "87_your_formula.py", "loss.formula.text.typed"
SMALL = Run(device="cpu", loss=Formula("[s_n - s_p + m]_+", m=0.5))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    figures = Shown("your_loss-")
    monkeypatch.setattr(figure, "figure", figures)
    return figures


def test_an_invalid_formula_leaves_the_last_one_shown(shown: Shown) -> None:
    app = opened(PAGE, {"loss.formula.text": "s_n - s_p", "your_loss.scene": "separated"})
    assert set(shown) == {"plane", "cut", "weights", "likeness", "flow"}
    app.text_input(key=BOX).set_value("s_n - (s_p").run()
    assert not app.exception
    assert [error.value for error in app.error] == [
        "At place 11: ) is expected, but the formula ends. The last one that could be read is shown."
    ]
    assert app.query_params["loss.formula.text"] == "s_n - s_p"
    assert app.text_input(key=BOX).value == "s_n - (s_p"
    sound(app.text_input(key=BOX).set_value("[s_n - s_p + m]_+").run())
    assert not app.error
    assert app.query_params["loss.formula.text"] == "[s_n - s_p + m]_+"


def test_only_the_letters_of_the_formula_have_sliders_and_no_preset_speaks_of_another_formula(shown: Shown) -> None:
    app = opened(PAGE, {})
    sliders = {"m": "loss.formula.m", "gamma": "loss.formula.gamma"}
    for preset in PRESETS:
        sound(app.button(key="see" if preset is BEYOND_90 else f"break.{preset.label}").click().run())
        text = preset.settings["loss.formula.text"]
        found = {slider.key for slider in app.slider}
        assert {name for name, key in sliders.items() if key in found} == parsed(text).knobs
        assert app.info[0].value.startswith(f"**{preset.label}.**")
    sound(app.text_input(key=BOX).set_value("[s_n - s_p + 0.3]_+").run())
    assert not app.info
    assert not {slider.key for slider in app.slider} & {*sliders.values()}


def test_a_link_with_an_invalid_formula_gets_a_sentence(shown: Shown) -> None:
    app = opened(PAGE, {"loss.formula.text": "__import__('os')"})
    [warning] = app.warning
    assert "At place 12" in warning.value
    assert "has no meaning in a formula" in warning.value
    assert app.text_input(key=BOX).value == Formula().text


def test_every_preset_says_what_it_computes() -> None:
    scene = preset_embeddings("overlapping")
    for preset in PRESETS:
        loss = Formula(**{key.rpartition(".")[2]: value for key, value in preset.settings.items() if key.startswith("loss.")})
        seen = model(scene, TripletChoice(loss, 3, 4, 7))
        assert preset.says
        sentence = preset.says(seen)
        named = next(iter(seen.cosines_with_losses))
        if preset.label in seen.cosines_with_losses:
            assert (named, f"{seen.cosines_with_losses[named]:.6f}") == (preset.label, "1.000000")
            assert "1.000000" in sentence
    first, last = model(scene, TripletChoice(Formula("[s_p - s_n + m]_+"), 3, 4, 7)).map_before_and_after
    assert last < first


def test_a_formula_without_a_gradient_resembles_no_loss() -> None:
    still = model(preset_embeddings("separated"), TripletChoice(Formula("[s_n - s_p - m]_+", m=2.0), 3, 0, 7))
    rounded = [
        model(Scene.read(scene).subject(), TripletChoice(Formula(text), 0))
        for scene, text in (("a0_180b90_270", "[s_n - s_p + m]_+"), ("a40_40b220", "s_n"))
    ]
    for each in (still, *rounded):
        assert claim(each) == "The formula has no gradient at these points, so it is like no published loss here"


def test_scores_that_are_undefined_or_below_0_are_written_as_on_other_pages() -> None:
    alone = model(preset_embeddings(NO_POSITIVES), TripletChoice(Formula("-s_n"), 0))
    drawn = flow(alone, Display("light", ("",) * 6, tuple(range(6)))).layout
    assert "mAP undefined → undefined" in drawn.annotations[0].text
    assert drawn.meta["alt"].endswith("mAP from undefined to undefined.")
    against = model(preset_embeddings("separated"), TripletChoice(Formula("s_p - s_n"), 0))
    assert claim(against).endswith("cosine −0.340")


def test_a_formula_without_a_value_at_its_knobs_has_no_figures_but_a_sentence() -> None:
    points, formula = preset_embeddings("overlapping"), Formula(text="s_n/(m-1) - s_p", m=1.0)
    with pytest.raises(NoModelError, match=r"no finite value or slope on these points at m = 1\. Move m, change the formula"):
        model(points, TripletChoice(formula, 0))
    assert model(points, TripletChoice(replace(formula, m=0.5), 0)).cosines_with_losses


def test_losses_without_a_gradient_are_told_from_a_formula_without_one() -> None:
    of = model(preset_embeddings("separated"), TripletChoice(Formula(text="[s_n - s_p + m]_+"), 0))
    [bars] = likeness(of, Display("light")).data
    said = dict(zip(bars.y, bars.text, strict=True))
    assert set(said.values()) == {"undefined", "no gradient here"}
    assert said["Triplet"] == "no gradient here", "its hinge ends here"
    assert said["NT-Xent"] == "undefined", "it has a gradient everywhere, and the formula none"
    assert set(bars.x) == {0.0}
    [bars] = likeness(model(preset_embeddings("antipodal"), TripletChoice(Formula(), 0)), Display("light")).data
    assert dict(zip(bars.y, bars.text, strict=True))["Pairwise margin"] == "no gradient here", "but for rounding"


def test_every_name_of_the_grammar_is_explained() -> None:
    assert not [name for name in NAMES if name not in HOLDS]


def test_a_formula_goes_into_links_recipes_races_and_files() -> None:
    assert run_form(LinkReader(run_link(SMALL))) == replace(SMALL, every=0)
    assert declared_run(SMALL)["loss"]["knobs"]["text"] == "[s_n - s_p + m]_+"
    for _, path, link in page_links(model(preset_embeddings("separated"), TripletChoice(SMALL.loss, 0))):
        if path == "race":
            assert race_settings(LinkReader(link)).racers[0].loss == SMALL.loss
        if path == "train":
            assert run_form(LinkReader(link)).loss == SMALL.loss
