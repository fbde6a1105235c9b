"""The form of a run: every part of a run is in it, in its links and, as far as it is declared so, in changes and races."""

from dataclasses import fields, replace
from typing import Any

import pytest

from dml_viz.engine.changes import check_change
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.spec import Spec, declared_run
from dml_viz.losses import LOSSES
from dml_viz.params import knobs, params
from dml_viz.room.ask import Setting
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.run_form import run_form, run_link
from dml_viz.training.first_steps import digest
from dml_viz.training.paths import paths
from dml_viz.training.run import PARTS, Run
from tests.samples import for_each

KNOBS = [knob for knob in params(Run) if PARTS[knob.name].linked]


def changed(name: str) -> Run:
    """A run with another value of the knob called ``name``, of a loss with which that has an effect."""
    (knob,) = (knob for knob in KNOBS if knob.name == name)
    run = Run(loss=next(loss for loss in (kind() for kind in LOSSES.values()) if PARTS[name].suits(loss)))
    return replace(run, **{name: next(end for end in knob.ends if end != knob.default)})


class Keys(LinkReader):
    """The keys for which a form asks."""

    def __init__(self, link: dict[str, str]) -> None:
        super().__init__(link)
        self.keys: set[str] = set()

    def setting(self, key: str, knob: Setting) -> Any:
        self.keys.add(key)
        return super().setting(key, knob)


def test_every_field_of_a_run_is_declared_as_a_part() -> None:
    assert tuple(PARTS) == tuple(each.name for each in fields(Run))


@pytest.mark.parametrize("loss", ["proxy_nca", "isif"])
def test_the_form_asks_for_every_part_that_links_have(loss: str) -> None:
    reader = Keys({"loss": loss})
    run = run_form(reader)
    parts = [part for part in PARTS.values() if part.linked and part.suits(run.loss)]
    objects = {part.name: part.kind_of(getattr(run, part.name)) for part in parts if part.kinds}
    expected = {part.key for part in parts if len(part.kinds) != 1}
    expected |= {f"{PARTS[name].key_prefix(kind)}.{knob}" for name, kind in objects.items() for knob in knobs(getattr(run, name))}
    assert reader.keys == expected


@for_each("name", [knob.name for knob in KNOBS])
def test_a_changed_knob_of_a_run_is_in_its_link_recipe_and_digest(name: str) -> None:
    run, before = changed(name), replace(changed(name), **{name: PARTS[name].default})
    link = run_link(run)
    assert link[PARTS[name].key] == str(getattr(run, name))
    assert run_form(LinkReader(link)) == run
    assert declared_run(run)[name] == getattr(run, name)
    assert (digest(run) == digest(before)) == (name == "device")
    if PARTS[name].rare:
        spec = Spec("embedding", "train", "train", run=declared_run(run), step=1)
        assert PARTS[name].words(getattr(run, name)) in caption(spec, "")
        assert name not in declared_run(before)


@for_each("name", [knob.name for knob in KNOBS])
def test_a_knob_may_change_and_differ_where_it_is_declared_so(name: str) -> None:
    run, before = changed(name), replace(changed(name), **{name: PARTS[name].default})
    assert (name in paths(run)) == PARTS[name].varies
    if PARTS[name].live:
        check_change(before, run)
    else:
        with pytest.raises(ValueError, match=f"{name} cannot change while a run lives"):
            check_change(before, run)
