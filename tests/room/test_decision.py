"""The sentences that decide whether a knob or a method matters."""

import numpy as np
import pytest

from dml_viz.room.decision import hold
from dml_viz.training.effects import Effect
from tests.samples import for_each

MOVES = np.linspace(0, 0.999, 1000)  # of shuffles


def effect(p: float, of: int = 1) -> Effect:
    """An effect whose share of shuffles is ``p``; value number ``of`` of two leads."""
    moves = float(np.quantile(MOVES, 1 - p))
    by_block = np.zeros((6, 2))
    by_block[:, of] = moves
    return Effect("method", ("plain", "own"), False, by_block, MOVES)


@for_each(
    ("share", "again", "says"),
    [
        (0.3, 0.6, "The verdict is the same."),
        (0.002, 0.003, "The verdict is the same."),
        (0.2, 0.6, "The verdict is the same, but close"),
        (0.6, 0.1, "The verdict is the same, but close"),
        (0.03, 0.04, "The verdict is the same, but close"),
        (
            0.3,
            0.01,
            "**The verdict turns:** 1.1\N{NO-BREAK SPACE}% of shuffles differ by as much then, so it matters. Do not rely",
        ),
        (0.01, 0.3, "**The verdict turns:** 30\N{NO-BREAK SPACE}% of shuffles differ by as much then, so no effect."),
    ],
)
def test_a_verdict_says_whether_other_rounding_turns_it(share: float, again: float, says: str) -> None:
    first, second = effect(share), effect(again)
    assert (first.p, second.p) == (pytest.approx(share, abs=2e-3), pytest.approx(again, abs=2e-3))
    said = hold(first, second)
    assert says in said
    assert f"up to {abs(first.difference - second.difference):.3f} apart" in said
    assert ("turns" in said) == (first.matters != second.matters)


def test_another_best_value_turns_a_verdict() -> None:
    assert "**The verdict turns:** another value leads then." in hold(effect(0.002), effect(0.002, of=0))
