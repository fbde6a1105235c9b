"""The race's scripts: labels that keep apart, spreads over seeds, racers' looks, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from dml_viz.plot.style import CLASS_COLOURS, PAPER, RACER_DASHES, RACER_TONES, palette
from tests.javascript import Evaluate, evaluating


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluate]:
    """See `tests.javascript.evaluating`."""
    with evaluating(tmp_path_factory.mktemp("assets")) as run:
        yield run


def test_labels_keep_their_order_their_distance_and_the_frame(evaluate: Evaluate) -> None:
    body = (
        'const { placed } = await asset("race/labels.js"); return given.map((wanted) => placed(wanted, 13, 10, 184));'
    )
    cases = [[100.0], [100.0] * 12, [0.0, 200.0, 150.0], [180.0, 183.0, 20.0, 21.0], [None, 50.0, None, 51.0]]
    for wanted, told in zip(cases, evaluate(body, cases), strict=True):
        known = [k for k, value in enumerate(wanted) if value is not None]
        heights = sorted(told[k] for k in known)
        assert heights[0] >= 10 - 1e-9
        assert heights[-1] <= 184 + 1e-9
        assert all(after - before >= 13 - 1e-9 for before, after in pairwise(heights))
        by_wish = sorted(known, key=lambda k: wanted[k])
        assert all(told[a] <= told[b] for a, b in pairwise(by_wish))


def test_the_spread_is_that_of_the_seeds_that_have_a_value(evaluate: Evaluate) -> None:
    body = """
      const { spread } = await asset("race/data.js");
      const history = { at: (name, row) => given[name]?.[row] ?? NaN };
      return [spread(history, 3, 1, "map.unseen", 0), spread(history, 3, 1, "map.unseen", 1)];
    """
    values = {"1.0.map.unseen": [0.2, None], "1.1.map.unseen": [0.5, None], "1.2.map.unseen": [0.3, 0.7]}
    three, one = evaluate(body, values)
    assert three["mean"] == pytest.approx(1 / 3)
    assert (three["low"], three["high"]) == (0.2, 0.5)
    assert three["sd"] == pytest.approx(np.std([0.2, 0.5, 0.3], ddof=1))
    assert (one["mean"], one["sd"], one["count"]) == (0.7, None, 1)


def test_twelve_racers_look_different_by_tone_and_dash_in_either_theme(evaluate: Evaluate) -> None:
    body = """
      const { racerStyle } = await asset("race/style.js");
      const of = (theme) => Array.from({ length: 12 }, (_, k) => racerStyle({ racers: given, theme }, k));
      return { light: of("light"), dark: of("dark") };
    """
    for theme, looks in evaluate(body, palette()["racers"]).items():
        assert len({(look["tone"], look["dash"]) for look in looks}) == 12
        assert len({look["tone"] for look in looks[:6]}) == len(RACER_TONES[theme]) == 6
        assert len({look["dash"] for look in looks[:6]}) == len(RACER_DASHES)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_racers_tones_stand_out_from_paper_and_are_no_class_colours(theme: str) -> None:
    for tone in RACER_TONES[theme]:
        light, dark = sorted((luminance(tone), luminance(PAPER[theme])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3
        assert min(np.linalg.norm(np.subtract(rgb(tone), rgb(other))) for other in CLASS_COLOURS) > 40


def test_the_caution_names_the_lead_and_how_far_a_seed_moves_a_racer(evaluate: Evaluate) -> None:
    body = 'const { caution } = await asset("race/table.js"); return given.map((one) => caution(...one));'
    racers = [{"letter": "A"}, {"letter": "B"}]
    means = [{"mean": 0.5, "low": 0.45, "high": 0.52}, {"mean": 0.54, "low": 0.48, "high": 0.6}]
    several, single, alone = evaluate(body, [[racers, means, 3], [racers, means, 1], [racers[:1], means[:1], 1]])
    assert several.endswith("B leads A by 0.04 mAP, while the seed alone moves one racer by up to 0.12.")
    assert "one seed tells nothing" in single
    assert alone == ""


def test_equal_racers_are_called_level_and_none_leads(evaluate: Evaluate) -> None:
    body = 'const { caution } = await asset("race/table.js"); return given.map((one) => caution(...one));'
    racers = [{"letter": letter} for letter in "ABC"]
    one = {"mean": 0.45, "low": 0.45, "high": 0.45}
    close = {**one, "mean": 0.4465}
    two, three = evaluate(body, [[racers, [one, one, {**one, "mean": 0.2}], 1], [racers, [one, close, one], 1]])
    assert "A and B are level at 0.45 mAP" in two
    assert "A, C and B are level" in three
    assert "leads" not in two + three


def test_what_bands_and_columns_are_is_said_for_one_seed_and_for_several(evaluate: Evaluate) -> None:
    several, one = evaluate('const { reading } = await asset("race/table.js"); return given.map(reading);', [3, 1])
    assert "from the lowest to the highest" in several
    assert "mean" not in one
    for words in (several, one):
        assert "Seconds:" in words


def test_a_key_of_a_file_names_every_racer_in_lines_that_fit(evaluate: Evaluate) -> None:
    body = """
      const { racerKey } = await asset("race/style.js");
      return racerKey({}, given).map(({ text, sign }) => [text, Boolean(sign)]);
    """
    racers = [
        {"letter": "A", "title": "Triplet, margin 0.5"},
        {"letter": "B", "title": "Multi-Similarity, alpha 3, beta 40", "branch": [1200, 0]},
    ]
    assert evaluate(body, racers) == [
        ["A Triplet, margin 0.5", True],
        ["B Multi-Similarity, alpha 3, beta", True],
        ["40, from A at step 1,200", False],
    ]


def test_labels_stand_around_what_they_want(evaluate: Evaluate) -> None:
    body = 'const { placed } = await asset("race/labels.js"); return placed(given, 10, 0, 200);'
    assert evaluate(body, [100, 100, 20, 100]) == [90, 100, 20, 110]


def test_letters_stand_on_their_lines_and_never_above_one_another(evaluate: Evaluate) -> None:
    body = """
      const { lettered } = await asset("race/labels.js");
      return given.map((points, k) => lettered(points, k, given.length, 15, 30, 400));
    """
    lines = [[{"x": 30, "y": 10 * k}, {"x": 200, "y": 10 * k + 85}, {"x": 390, "y": 10 * k + 85}] for k in range(12)]
    places = evaluate(body, lines)
    for k, letters in enumerate(places):
        assert letters
        for letter in letters:
            rise = (min(letter["x"], 200) - 30) / 2
            assert letter["y"] == pytest.approx(10 * k + rise)
    across = sorted(letter["x"] for letters in places for letter in letters)
    assert all(after - before >= 15 - 1e-9 for before, after in pairwise(across))


def test_what_was_measured_is_marked_where_it_stands_apart(evaluate: Evaluate) -> None:
    body = 'return (await asset("race/labels.js")).spaced(given.map((x) => ({ x })), 6).map(({ x }) => x);'
    assert evaluate(body, [0, 1, 3, 20, 40, 43]) == [20]


def rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb(colour))]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))
