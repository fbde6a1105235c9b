"""The recipe of a run, as controls: data, net, loss, sampler and optimiser, all in the link."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import streamlit as st
import torch

from dml_viz.app import provenance_log, url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.own import images
from dml_viz.app.own.required import require_images
from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets import DATASETS
from dml_viz.data.datasets._base import Dataset
from dml_viz.data.samplers import SAMPLERS
from dml_viz.data.samplers._base import Sampler
from dml_viz.data.training_set import training_set
from dml_viz.losses import KNOWN, Loss
from dml_viz.params import Param, knobs, trained
from dml_viz.room.run_settings import DATA, NET, run_settings
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method
from dml_viz.training.methods.plain import Plain
from dml_viz.training.nets import NETS
from dml_viz.training.run import Run

RESTARTS = "Restarts the run."
LIVE = "May change while the run goes on; what changes what the loss learns restarts it."
DIGITS = {"data": "digits", "net": "mlp", "run.dim": 3, "p_by_k.classes": 8, "p_by_k.samples": 32}
PRESETS: Mapping[str, tuple[Mapping[str, Any], str]] = MappingProxyType(
    {
        "Icons beyond style": (
            {},
            "FastAP on 117 concepts, in 64 dimensions; judged on 51 other concepts. Pixels find the style, the net the concept.",
        ),
        "Icons on the sphere": (
            {"icons.concepts": 24, "run.dim": 3, "run.steps": 600},
            "Three dimensions have room for few classes: 24 concepts, 9 of them never seen in training.",
        ),
        "Digits on the sphere": (
            {**DIGITS, "run.lr": 0.0002, "run.steps": 3000},
            "FastAP on five of the ten digits, in three dimensions; judged on the other five. Here pixels are hard to beat.",
        ),
        "Glyphs beyond pixels": (
            {"data": "glyphs", "p_by_k.classes": 8, "run.steps": 500},
            "Shapes lost in clutter: comparing pixels finds few of them, a small conv net most, even shapes that it never saw.",
        ),
        "Proxies at work": (
            {**DIGITS, "run.protocol": "all classes", "loss": "proxy_anchor", "run.proxy_lr": 10.0, "run.steps": 1000},
            "Proxy-Anchor: one learnt proxy per digit, each pulling its class while all push the others.",
        ),
    }
)


def recipe(
    losses: Sequence[Loss] = (),
    controls: PageControls | None = None,
    variants: Callable[[Run], Iterable[Run]] = lambda run: (run,),
) -> Run:
    """The run that its controls in the sidebar declare, drawn by ``controls``.

    Given ``losses``, the run has the first of them, and there is no control of the loss. ``variants`` are the runs that the
    page makes of it, whose batches the sidebar describes.
    """
    note = RESTARTS if losses else LIVE
    ask = controls or PageControls()
    known = _datasets(ask)
    with st.sidebar:
        st.markdown("##### Data")
        data = _one_of(ask, "data", "Images", known, DATA)
        with st.expander("More on the data", expanded=False):
            dataset = ask.knobs(DATASETS[data], data, note=RESTARTS)
            protocol = ask.values(Run, "run", ["protocol", "label_noise"], note=RESTARTS)
            own = images.of_session() if DATASETS[data].private else None
            about = images.sentence(own) if own else DATASETS[data].sentence
            st.caption(" ".join([about, *(f"{credit}." for credit in DATASETS[data].credits)]))
        loss = losses[0] if losses else _loss(ask)
        views = {}
        if any(one.views for one in losses or [loss]):
            with st.expander("Views", expanded=False):
                views = {"augmentation": ask.knobs(Augmentation, "views", note=note)}
        st.markdown("##### Net")
        size = ask.values(Run, "run", ["dim"], note=RESTARTS)
        with st.expander("Layers", expanded=False):
            kind = _one_of(ask, "net", "Net", NETS, NET)
            net = ask.knobs(NETS[kind], kind, note=RESTARTS)
        st.markdown("##### Training")
        rates = ask.values(Run, "run", ["lr", *(["proxy_lr"] if any(one.learns for one in losses or [loss]) else [])], note=note)
        length = ask.values(Run, "run", ["steps"], note="More steps let a finished run go on.")
        with st.expander("Batches, method, seed, device", expanded=False):
            batches = _one_of(ask, "sampler", "Batches", SAMPLERS, "p_by_k")
            sampler = ask.knobs(SAMPLERS[batches], batches, note=RESTARTS)
            rest = ask.values(Run, "run", ["chunk", "seed", "device"], note=RESTARTS)
            method = Plain() if losses else _method(ask, loss)
    others = {**views, **protocol, **size, **rates, **length, **rest}
    try:
        run = Run(dataset=dataset, net=net, loss=loss, method=method, sampler=sampler, **others)
    except ValueError as error:
        run = _default(error)
    st.sidebar.caption(_batches(variants(run)))
    return run


def _datasets(ask: PageControls) -> dict[str, type[Dataset]]:
    """The data sets that the visitor can choose; the page ends if the link needs images that are not brought yet."""
    asked = ask.opened("data", Param("data", DATA, "", "images", choices=tuple(DATASETS)))
    require_images(str(url_state.setting("data", asked)))
    return {name: kind for name, kind in DATASETS.items() if not kind.private or images.offered()}


def _loss(ask: PageControls) -> Loss:
    st.markdown("##### Loss")
    name = _one_of(ask, "loss", "Loss", KNOWN, "fastap", menu=True)
    loss = ask.knobs(KNOWN[name], f"loss.{name}", note=LIVE, knobs=trained)
    provenance_log.shown(loss)
    for sentence in _remarks(loss):
        st.caption(sentence)
    return loss


def _method(ask: PageControls, loss: Loss) -> Method:
    """The chosen method of training; the plain one, with a warning, if the method refuses ``loss``."""
    name = _one_of(ask, "method", "Method", METHODS, "plain", menu=True)
    method = ask.knobs(METHODS[name], f"method.{name}", note=RESTARTS)
    if name != "plain":
        here = f"{method.faithful[:1].upper()}{method.faithful[1:]}"
        st.caption(f"{method.sentence} *{here}.* See [Beyond one loss](beyond_one_loss?method={name}).")
    if wrong := method.refuses(loss):
        st.warning(f"{wrong}. Until then no method is used.")
        return Plain()
    return method


def current_recipe() -> Run:
    """The run that the link and the controls of the training page declare, without drawing them."""
    ask = PageControls()
    _datasets(ask)
    try:
        return run_settings(ask)
    except ValueError as error:
        return _default(error)


def _batches(runs: Iterable[Run]) -> str:
    """A sentence on the size of batches of ``runs``, which have fewer classes than asked for if the training set has fewer."""
    sizes, counts, fewer = set(), set(), ""
    for dataset, protocol, sampler in {(run.dataset, run.protocol, run.sampler): None for run in runs}:
        size, classes, trained = _batch(dataset, protocol, sampler)
        sizes.add(size)
        counts.add(classes)
        if classes < (asked := knobs(sampler).get("classes", 0)):
            fewer = f"; {asked} classes are asked for, training has {trained}"
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


def _remarks(loss: Loss) -> list[str]:
    """Sentences on how the training of this loss differs from that of others."""
    remarks = []
    if not loss.unit:
        remarks.append("Trained on raw rows, whose lengths matter; shown and scored normalised.")
    if loss.views:
        remarks.append(
            "Trained without classes: a batch holds two random views of each of half its images, and each view should find its "
            "twin. Classes give colours and scores alone."
        )
    return remarks


def take(settings: Mapping[str, Any]) -> None:
    """Set the controls of a run to ``settings``, and all others to their defaults."""
    below = (f"{prefix}." for prefix in ("run", "loss", "method", "views", *DATASETS, *NETS, *SAMPLERS))
    url_state.reset(("data", "loss", "method", "net", "sampler", "step", "query", "plane", *below))
    st.session_state.update(settings)
    st.session_state.pop("live.id", None)


def _default(error: ValueError) -> Run:
    st.warning(f"{error}. The default run is used instead.")
    return Run()


def _one_of(ask: PageControls, key: str, label: str, classes: dict[str, type], default: str, *, menu: bool = False) -> str:
    """The name of one of ``classes``, by a control if there are several."""
    if len(classes) == 1:
        return default
    titles = {name: getattr(leaf, "title", name) for name, leaf in classes.items()}
    return ask.choice(key, label, tuple(classes), default, named=titles, menu=menu)
