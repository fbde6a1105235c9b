"""Answers of simulated students, to rehearse a classroom and for examples: they know nothing, so that none learns by talking."""

import random
from collections.abc import Mapping
from typing import Any

AGAIN = 1 / 3  # of the students change their answer in a second vote
NARROW = 0.15  # standard deviation of guesses, of the whole scale
FULL = 360  # degrees


def guess(by: Mapping[str, Any], dice: random.Random, before: float | None = None) -> float:
    """An answer to a question that is answered ``by`` a choice, a mark, a drag or a number; mostly that of ``before``."""
    if before is not None and dice.random() > AGAIN:
        return before
    kind = by["kind"]
    if kind in ("choice", "panel"):
        places = range(len(by["options"]))
        return dice.choices(places, [1 / (1 + place) for place in places])[0]
    if kind == "drag":
        angle, _ = dice.choice(by["points"])
        return dice.gauss(angle, FULL * NARROW / 3) % FULL
    if kind == "number":
        return round(dice.lognormvariate(2, 0.5), 1)
    low, high, step = by["low"], by["high"], by["step"]
    aimed = dice.gauss((low + high) / 2, NARROW * (high - low))
    return min(max(low + round((aimed - low) / step) * step, low), high)
