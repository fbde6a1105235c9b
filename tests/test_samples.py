"""Samples are the same every time, and have every value of every axis; one test of many values names the one that fails."""

import pytest

from tests import samples
from tests.samples import for_each, pairs_of, sample


def test_a_sample_is_spread_evenly_and_thorough_goes_over_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "THOROUGH", False)
    assert sample(range(9), 3) == [0, 4, 8]
    assert sample("ab", 3) == ["a", "b"]
    assert sample("abc", 1) == ["a"]
    assert pairs_of("abc", (1, 2)) == [("a", 1), ("b", 2), ("c", 1)]
    monkeypatch.setattr(samples, "THOROUGH", True)
    assert sample(range(9), 3) == [*range(9)]
    assert len(pairs_of("abc", (1, 2), "xy")) == 12


def test_a_test_of_many_values_fails_at_the_one_that_it_names() -> None:
    @for_each("value", (1, 2, 3))
    def over(value: int) -> None:
        assert value != 2

    with pytest.raises(AssertionError) as failed:
        over()
    assert failed.value.__notes__ == ["value: 2"]
