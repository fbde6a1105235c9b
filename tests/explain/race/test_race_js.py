"""The race's scripts: labels that do not overlap, spreads over seeds, racers' looks, and sentences on them."""

import numpy as np
import pytest

from dml_viz.plot.style import CLASS_COLOURS, PAPER, RACER_DASHES, RACER_TONES, READABLE, contrast, palette
from tests.javascript import Evaluate


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
def test_racers_tones_contrast_with_paper_and_are_no_class_colours(theme: str) -> None:
    for tone in RACER_TONES[theme]:
        assert contrast(tone, PAPER[theme]) >= READABLE, "a racer's letter has its tone, or the paper's colour on it"
        assert min(np.linalg.norm(np.subtract(rgb(tone), rgb(other))) for other in CLASS_COLOURS) > 40


def rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
