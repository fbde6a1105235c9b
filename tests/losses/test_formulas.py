"""The formula shown is that of the variant that the switches select, or a sentence beside it says what differs."""

import re
from typing import Any

from dml_viz.losses import LOSSES
from dml_viz.params import params
from tests.samples import for_each

SWITCHES = [
    (name, knob.name, knob.choices or (False, True))
    for name, kind in LOSSES.items()
    for knob in params(kind)
    if knob.choices or isinstance(knob.default, bool)
]


@for_each(("name", "knob", "values"), SWITCHES)
def test_every_value_of_a_switch_has_its_own_formula_or_sentence(name: str, knob: str, values: tuple[Any, ...]) -> None:
    shown = [LOSSES[name](**{knob: value}) for value in values]
    assert len({(loss.variant_formula, loss.variant_weights, loss.variant_text) for loss in shown}) == len(values)
    for loss in shown:
        assert not re.search(r"\\text\{\s*or|\\ or|\|\\ ", loss.variant_formula), "a choice is left to the reader"


@for_each("name", LOSSES)
def test_every_part_that_a_switch_replaces_is_in_a_formula(name: str) -> None:
    kind = LOSSES[name]
    for knob, value, part, instead in kind.rewritten:
        assert part in kind.formula + kind.weight_formula
        loss = kind(**{knob: value})
        assert instead in loss.variant_formula + loss.variant_weights
