"""The reference is generated from the losses' declarations: every loss has its card, every knob its row."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit
import torch
from streamlit.testing.v1 import AppTest

from dml_viz.explain.fastap.model_ranking import against_bins
from dml_viz.explain.reference.card import literal_source, response_on_one_scene
from dml_viz.explain.reference.controls import LONGEST, matching_losses
from dml_viz.losses import FAMILIES, LOSSES
from dml_viz.params import numerals, params
from dml_viz.plot.style import NEGATIVE, POSITIVE, on_paper
from dml_viz.plot.weight_curve import weight_figure, weight_sketch, weight_words, with_weight
from dml_viz.room.markdown import cited, with_breaks
from dml_viz.to_pytorch import snippet
from tests import shown
from tests.javascript import Evaluate
from tests.samples import THOROUGH, for_each
from tests.shown import sound

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "pages" / "70_reference.py"
every_loss = pytest.mark.parametrize("name", LOSSES)
each_loss = for_each("name", LOSSES)


def opened(**link: str) -> AppTest:
    return shown.opened(PAGE.name, link)


def prose(app: AppTest) -> str:
    """All Markdown of the page without its escapes."""
    return re.sub(r"\\(.)", r"\1", "\n".join(element.value for element in (*app.markdown, *app.subheader)))


def cards(app: AppTest) -> list[str]:
    return [button.key.removeprefix("open.") for button in app.button if str(button.key).startswith("open.")]


def test_the_overview_has_a_card_for_every_loss_by_title() -> None:
    shown = cards(opened())
    assert sorted(shown) == sorted(LOSSES)
    titles = [LOSSES[name].title.casefold() for name in shown]
    assert titles == sorted(titles)


def test_no_file_of_the_page_mentions_a_loss() -> None:
    files = [PAGE, *(ROOT / "dml_viz/ui").glob("reference*.py"), ROOT / "dml_viz/explain/reference/card.py"]
    quoted = {text for path in files for text in re.findall(r"""["']([^"'\n]+)["']""", path.read_text(encoding="utf-8"))}
    assert not quoted & ({*LOSSES} | {kind.title for kind in LOSSES.values()} - {*FAMILIES})


def test_a_formula_is_broken_between_its_parts_alone() -> None:
    assert with_breaks(r"a=1,\quad b=2,\qquad c") == r"{a=1},\allowbreak\quad {b=2},\allowbreak\qquad {c}"
    assert with_breaks(r"a=\{1,\quad 2\}") == r"{a=\{1,\quad 2\}}"


def test_every_formula_can_be_typeset_by_streamlits_own_library(evaluate: Evaluate) -> None:
    forms = [kind(**knobs) for kind in LOSSES.values() for knobs in ({}, *({knob: value} for knob, value, *_ in kind.rewritten))]
    formulas = [with_breaks(formula) for loss in forms for formula in (loss.variant_formula, loss.variant_weights) if formula]
    [library] = (Path(streamlit.__file__).parent / "static/static/js").glob("katex.*.js")
    typeset = """const { default: katex } = await import(given.library);
      const set = (formula) => katex.renderToString(formula, { displayMode: true, throwOnError: true });
      return given.formulas.map((formula) => { try { return set(formula).length; } catch (error) { return error.message; } });"""
    done = evaluate(typeset, {"library": library.as_uri(), "formulas": formulas})
    assert not [message for message in done if isinstance(message, str)]
    assert len(done) > len(LOSSES)


@every_loss
def test_a_card_shows_all_that_its_loss_declares_and_follows_its_knobs_to_both_ends(name: str) -> None:
    kind = LOSSES[name]
    loss, app = kind(), opened(card=name)
    assert not app.warning
    text_of_page = prose(app)
    for text in (kind.title, kind.sentence, loss.variant_text, kind.elsewhere, loss.held_constant, *kind.traps):
        assert text in text_of_page
    assert cited(kind.reference) in shown.words(app)
    for knob in params(kind):
        (row,) = [line for line in text_of_page.splitlines() if f"`{knob.name}`" in line]
        for text in (knob.meaning, knob.source, numerals(knob.allowed), numerals(f"{knob.default}, the default")):
            assert text in row
    drawn = [formula.value.strip("$\n ") for formula in app.latex]
    assert drawn == [with_breaks(loss.variant_formula), with_breaks(loss.variant_weights)]
    assert [code.value for code in app.code] == [snippet(loss).strip("\n"), literal_source(kind).strip("\n")]
    # All knobs at one end and then at the other, or each alone.
    ends = [{knob.name: knob.ends[end] for knob in params(kind)} for end in (0, -1)]
    if THOROUGH:
        ends += [{knob.name: value} for knob in params(kind) for value in knob.ends]
    for knobs in ends:
        for knob in params(kind):
            app.session_state[f"loss.{name}.{knob.name}"] = knobs.get(knob.name, knob.default)
        sound(app.run())
        loss = kind(**knobs)
        assert not app.warning
        assert loss.variant_text in prose(app)
        assert app.code[0].value == snippet(loss).strip("\n")
        changed = {knob.name: value for knob in params(kind) if (value := knobs.get(knob.name)) not in (None, knob.default)}
        assert dict(app.query_params) == {"card": name, **{f"loss.{name}.{key}": str(value) for key, value in changed.items()}}


RAW = re.compile(r"\b[a-z]_[a-z]\b|(?<![=(] )\b(?:alpha|beta|gamma|delta|tau|lambda)s?\b(?! = \d)|[\w)] - [\w(]|\^|(?<!\w)-\w")


@each_loss
def test_words_have_symbols_in_place_of_their_names_in_code(name: str) -> None:
    loss = LOSSES[name]()
    for text in (loss.sentence, loss.elsewhere, loss.held_constant, *loss.traps):
        assert not RAW.search(text), text


def test_fastap_stays_below_average_precision_on_average_with_any_number_of_bins() -> None:
    generator = np.random.default_rng(0)
    counts = np.array([10, 1000, 20_000])
    errors = []
    for _ in range(200):
        d2, relevant = generator.uniform(0, 4, 10), generator.permutation(10) < 4
        ranked = relevant[np.argsort(d2)]
        precision = np.cumsum(ranked) / np.arange(1, 11)
        errors.append(against_bins(d2, relevant, counts) - precision[ranked].mean())
    few, many, more = np.mean(errors, 0)
    assert few < 2 * many < 0
    assert many == pytest.approx(more, abs=0.003)
    assert -0.03 < more < -0.01


def test_a_link_opens_a_card_with_its_knobs() -> None:
    name, kind = next((name, kind) for name, kind in LOSSES.items() if any(knob.slider for knob in params(kind)))
    knob = next(knob for knob in params(kind) if knob.slider)
    app = opened(**{"card": name, f"loss.{name}.{knob.name}": str(knob.ends[0])})
    assert not app.warning
    assert app.code[0].value == snippet(kind(**{knob.name: knob.ends[0]})).strip("\n")


def test_a_card_leads_to_its_neighbours_and_back() -> None:
    name, following = matching_losses("")[:2]
    app = opened(card=name)
    next(button for button in app.button if button.label == LOSSES[following].title).click().run()
    assert app.query_params["card"] == following
    app.button(key="reference.back").click().run()
    assert "card" not in app.query_params
    assert len(cards(app)) == len(LOSSES)


def test_a_card_passes_its_loss_to_training() -> None:
    name = matching_losses("")[0]
    app = opened(card=name)
    app.button(key="reference.train").click().run()
    assert app.session_state["loss"] == name


@pytest.mark.parametrize(
    "asked",
    [{"card": "no-such-loss"}, {"family": "relatives"}, {"search": "x" * (LONGEST + 1)}, {"loss.nothing.at_all": "1"}],
    ids=str,
)
def test_a_link_to_an_unknown_card_opens_the_overview_with_one_sentence(asked: dict[str, str]) -> None:
    app = opened(**asked)
    (warning,) = app.warning
    assert len(warning.value) < 600
    assert dict(app.query_params) == {}
    assert len(cards(app)) == len(LOSSES)


@each_loss
def test_a_loss_is_found_by_all_that_it_declares(name: str) -> None:
    kind = LOSSES[name]
    for text in (kind.title, kind.title.upper(), kind.title.replace("-", " "), kind.sentence, kind.reference, *kind.traps):
        assert name in matching_losses(text)
    for knob in params(kind):
        assert name in matching_losses(knob.name)
        assert name in matching_losses(knob.label_text)


@each_loss
def test_a_loss_whose_title_is_asked_for_comes_first(name: str) -> None:
    first = matching_losses(LOSSES[name].title)[0]
    assert LOSSES[name].title in LOSSES[first].title


@for_each("family", FAMILIES)
def test_a_family_lists_its_own_losses(family: str) -> None:
    assert set(matching_losses("", family)) == {name for name, kind in LOSSES.items() if family in kind.families}


def test_search_words_match_in_any_case_accents_and_order() -> None:
    names = {*LOSSES}
    author = next(name for name in names if "ä" in LOSSES[name].reference)
    surname = next(word for word in re.findall(r"\w+", LOSSES[author].reference) if "ä" in word)
    assert author in matching_losses(surname.replace("ä", "a").upper())
    both = matching_losses(f"{LOSSES[author].title} {surname}")
    assert author in both
    assert both == matching_losses(f"{surname}   {LOSSES[author].title}")


def test_search_and_filter_are_in_the_link_and_an_empty_result_offers_to_clear_them() -> None:
    app = opened()
    app.text_input(key="search").input("  zxzx qjqj ").run()
    assert app.query_params["search"] == "zxzx qjqj"
    assert not cards(app)
    assert "zxzx qjqj" in app.info[0].value
    next(button for button in app.button if button.label.startswith("Clear")).click().run()
    assert dict(app.query_params) == {}
    assert len(cards(app)) == len(LOSSES)
    family = LOSSES[cards(app)[0]].families[0]
    assert set(cards(opened(family=family))) == set(matching_losses("", family))


def test_a_search_leads_from_a_card_back_to_the_overview() -> None:
    name, other = matching_losses("")[:2]
    app = opened(card=name)
    app.text_input(key="search").input(LOSSES[other].title).run()
    assert other in cards(app)
    assert "card" not in app.query_params


def test_the_search_text_is_shown_literally() -> None:
    app = opened(search="<zxzx>$x$ [a](b)")
    assert r"\<zxzx\>\$x\$ \[a\](b)" in app.info[0].value


@each_loss
def test_a_miniature_has_every_pair_of_its_scene(name: str) -> None:
    loss = LOSSES[name]()
    small = response_on_one_scene(loss)
    weights = loss.weights(small.inputs.z, small.inputs.y, **small.inputs.learnt)
    table = weights.proxy if small.has_proxies else weights.pair
    y = small.inputs.y
    assert table is not None
    assert len(small.pair_similarities) == (table.numel() if small.has_proxies else len(y) * (len(y) - 1) // 2)
    rows, ends = torch.from_numpy(small.pair_indices).T
    both = table if small.has_proxies else table + table.T
    torch.testing.assert_close(torch.from_numpy(small.pair_weights), both[rows, ends])
    if not small.has_proxies:
        assert (rows < ends).all()
        assert np.array_equal(small.is_positive, (y[rows] == y[ends]).numpy())
    if loss.unit:
        assert np.abs(small.pair_similarities).max() <= 1 + 1e-12


@each_loss
@for_each("theme", ["light", "dark"])
def test_the_weight_figure_distinguishes_kinds_by_colour_and_marker_and_its_words_have_its_numbers(name: str, theme: str) -> None:
    small = response_on_one_scene(LOSSES[name]())
    who = np.array([f"{row} {end}" for row, end in small.pair_indices])
    fig = weight_figure(small.pair_similarities, small.pair_weights, small.is_positive, who, similarity="s", theme=theme)
    go.Figure(fig.to_dict())
    pulled, pushed = fig.data
    assert pulled.marker.line.color == on_paper(POSITIVE, theme)
    assert pushed.marker.line.color == on_paper(NEGATIVE, theme)
    assert pulled.marker.symbol != pushed.marker.symbol
    assert len(pulled.x) == small.is_positive.sum()
    assert len(pulled.x) + len(pushed.x) == len(small.pair_similarities)
    alt = fig.layout.meta["alt"]
    assert f"{np.count_nonzero(with_weight(small.pair_weights)[small.is_positive])} of {len(pulled.x)} positive pairs" in alt
    assert "nan" not in alt


def drawing(*columns: Any) -> ElementTree.Element:
    return ElementTree.fromstring(weight_sketch(*map(np.array, columns)))


def test_the_sketch_draws_pushes_above_the_line_and_pulls_below_it() -> None:
    line, crosses, dots = (path.get("d") for path in drawing([-0.5, 0.5], [0.2, -0.1], [False, True]).iter() if path.get("d"))
    assert line and crosses and dots  # noqa: PT018
    height = float(line.split()[1].split("H")[0])
    assert float(crosses.split()[1].split("l")[0]) < height
    assert float(dots.split()[1].split("h")[0]) > height


@each_loss
def test_a_sketch_is_small_and_valid_svg(name: str) -> None:
    small = response_on_one_scene(LOSSES[name]())
    text = weight_sketch(small.pair_similarities, small.pair_weights, small.is_positive)
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert len(text) < 16_000
    assert POSITIVE in text
    assert NEGATIVE in text


def test_batches_without_weights_or_pairs_are_drawn_and_described() -> None:
    nothing, none = np.zeros(3), np.zeros(0)
    assert "0 of 2 positive pairs have a weight;" in weight_words(nothing, nothing, np.array([True, True, False]))
    assert "0 of 0 negative pairs" in weight_words(none, none, none.astype(bool))
    assert drawing(none, none, none.astype(bool)).tag.endswith("svg")
