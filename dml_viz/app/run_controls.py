"""The form of a run in the sidebar, the presets that fill it in, and the controls of a racer's loss, knobs and rate."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st
import torch

from dml_viz.app import provenance_log, tab, url_state
from dml_viz.app.controls import PageControls, SessionReader, widget_for
from dml_viz.app.own import images
from dml_viz.app.own.required import require_images
from dml_viz.data.datasets._base import Dataset
from dml_viz.data.samplers._base import Sampler
from dml_viz.data.training_set import training_set
from dml_viz.losses import KNOWN, Loss
from dml_viz.params import knobs, training_params
from dml_viz.registry import name_of
from dml_viz.room.menus import menu
from dml_viz.room.run_form import data_choice, run_form
from dml_viz.training.experiment import Branch
from dml_viz.training.paths import OBJECTS, kind_titles, knob_at, paths, value_at, with_value
from dml_viz.training.race import Racer
from dml_viz.training.run import PARTS, Run

PRESETS = menu("runs")
COLUMNS = 3
RATE = ("lr",)


class RunControls(PageControls):
    """The controls of a run, with the visitor's own images among the data sets."""

    def offers(self, kind: type) -> bool:
        return not getattr(kind, "private", False) or images.offers_own_images()

    def about(self, kind: Any) -> str:
        uploaded = images.session_images() if getattr(kind, "private", False) else None
        return images.count_and_size(uploaded) if uploaded else super().about(kind)

    def remark(self, text: str) -> None:
        st.caption(text)  # terms are explained in the article


def draw_run_form(
    losses: Sequence[Loss] = (),
    controls: PageControls | None = None,
    variants: Callable[[Run], Iterable[Run]] = lambda run: (run,),
) -> Run:
    """The run that its controls in the sidebar declare, drawn by ``controls``.

    Given ``losses``, the run has the first of them, and there is no control of the loss. ``variants`` are the runs that the
    page makes of it, whose batches the sidebar describes.
    """
    ask = controls or RunControls()
    _require_images(ask)
    with st.sidebar:
        run = run_form(ask, losses)
        st.caption(_batches(variants(run)))
    if not losses:
        provenance_log.note_losses(run.loss)
    return run


def run_of_session() -> Run:
    """The run that the link and the controls of the training page declare, without drawing them."""
    ask = SessionReader()
    _require_images(ask)
    try:
        return run_form(ask)
    except ValueError as error:
        st.warning(f"{error}. The default run is used instead.")
        return Run()


def _require_images(ask: SessionReader) -> None:
    """End the page if the link needs images that the visitor has not brought."""
    data = data_choice()
    require_images(str(url_state.setting(data.name, ask.with_page_default(data.name, data))))


def _batches(runs: Iterable[Run]) -> str:
    """A sentence on the size of batches of ``runs``, which have fewer classes than asked for if the training set has fewer."""
    sizes, counts, fewer = set(), set(), ""
    for dataset, protocol, sampler in {(run.dataset, run.protocol, run.sampler): None for run in runs}:
        size, classes, trained = _batch(dataset, protocol, sampler)
        sizes.add(size)
        counts.add(classes)
        if classes < (declared := knobs(sampler).get("classes", 0)):
            fewer = f"; {declared} classes are asked for, training has {trained}"
    return f"A batch holds {_span(sizes)} images of {_span(counts)} classes{fewer}."


# A sweep over data sets has more of them than are held as training sets.
@lru_cache(maxsize=256)
def _batch(dataset: Dataset, protocol: str, sampler: Sampler) -> tuple[int, int, int]:
    """The number of images and of classes in a batch, and of classes in training."""
    data = training_set(dataset, protocol, torch.device("cpu"))
    labels = data.batches(sampler, 0, 0).labels[0]
    return len(labels), len(labels.unique()), data.classes


def _span(numbers: Collection[int]) -> str:
    return " to ".join(f"{number:,}" for number in sorted({min(numbers), max(numbers)}))


def apply_preset(settings: Mapping[str, Any]) -> None:
    """Set the controls of a run to ``settings``, and all others to their defaults."""
    below = (f"{part.key_prefix(kind)}." for part in PARTS.values() for kind in part.kinds)
    url_state.reset(("step", "query", "plane", *(part.key for part in PARTS.values()), *below))
    st.session_state.update(settings)
    tab.JOB.of("live").pop()


def loss_control(racer: Racer, prefix: str, on_change: Callable[[], None], note: str) -> None:
    """Draw the control of the loss, with the loss of ``racer``."""
    tab.control(f"{prefix}.loss").set(name_of(racer.loss))
    st.selectbox(
        "Loss", tuple(KNOWN), key=f"{prefix}.loss", format_func=lambda kind: KNOWN[kind].title, on_change=on_change, help=note
    )


def knob_controls(
    racer: Racer,
    run: Run,
    prefix: str,
    on_change: Callable[[], None],
    note: str,
    columns: int = COLUMNS,
    differences: Iterable[str] = RATE,
) -> None:
    """Draw the knobs of ``racer``'s loss, and those of its run named in ``differences``, singly or by part.

    ``run`` is the race's.
    """
    values, name = knobs(racer.loss), name_of(racer.loss)
    boxes = st.columns(columns)
    controls = [
        (knob, f"{prefix}.{name}.{knob.name}", values[knob.name])
        for knob in training_params(racer.loss)
        if knob.has_effect(values)
    ]
    racer_run = racer.without_unfit_changes(run).run_on(run)
    knob_paths = [path for part in differences for path in sorted(paths(racer_run)) if path.partition(".")[0] == part]
    controls += [(knob_at(racer_run, path), f"{prefix}.{path}", value_at(racer_run, path)) for path in knob_paths]
    for turn, (knob, key, value) in enumerate(controls):
        st.session_state[key] = value
        with boxes[turn % columns]:
            widget_for(knob, key, note=note, on_change=on_change, named=kind_titles(knob))


def read_racer(before: Racer, run: Run, prefix: str, branch: Branch | None) -> Racer:
    """The racer of ``run``, read from the controls that were drawn for ``before``; ValueError for values not allowed."""
    state = st.session_state
    name = tab.control(f"{prefix}.loss").get()
    values = {knob.name: knob.default for knob in training_params(KNOWN[name])}
    if KNOWN[name] is type(before.loss):
        values = dict(knobs(before.loss))
        keys = {knob: f"{prefix}.{name}.{knob}" for knob in values}
        values |= {knob: state[key] for knob, key in keys.items() if key in state}
    return Racer(KNOWN[name](**values), branch, _changes(before, run, prefix))


def _changes(before: Racer, run: Run, prefix: str) -> tuple[tuple[str, Any], ...]:
    """The racer's changes; knobs of a part that has been replaced are left out."""
    known = dict(before.changes)
    values_before = {part: known.get(part, value_at(run, part)) for part in OBJECTS}
    keys = [key for key in map(str, st.session_state) if key.startswith(f"{prefix}.")]
    values = known | {key.removeprefix(f"{prefix}."): st.session_state[key] for key in keys}
    changes = []
    for path, value in sorted(values.items(), key=lambda item: item[0]):
        part, _, name = path.partition(".")
        if path == "loss" or path not in paths(run) or (name and value_at(run, part) != values_before[part]):
            continue
        if value != value_at(run, path):
            changes.append((path, value))
            run = with_value(run, path, value)
    return tuple(changes)
