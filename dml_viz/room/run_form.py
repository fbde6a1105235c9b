"""The form of a run: its controls in their order, drawn on a page and read from a link by the same function."""

from collections.abc import Mapping, Sequence
from typing import Any

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets import DATASETS
from dml_viz.data.samplers import SAMPLERS
from dml_viz.losses import KNOWN, Loss
from dml_viz.params import trained
from dml_viz.room.ask import Ask
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method
from dml_viz.training.methods.plain import Plain
from dml_viz.training.nets import NETS
from dml_viz.training.run import Run

DATA, NET = "icons", "conv"  # the defaults of a link
RESTARTS = "Restarts the run."
LIVE = "May change while the run goes on; what changes what the loss learns restarts it."


def run_form(ask: Ask, losses: Sequence[Loss] = ()) -> Run:
    """The run that the settings declare, given ``losses`` with the first of them, and then without a control of the loss.

    Settings that do not fit together are refused by ``ask``: on a page with a warning and a default, in a link with ValueError.
    """
    note = RESTARTS if losses else LIVE
    ask.heading("##### Data")
    data = _kind(ask, "data", "Images", DATASETS, DATA)
    with ask.fold("More on the data"):
        dataset = ask.knobs(DATASETS[data], data, note=RESTARTS)
        values = ask.values(Run, "run", ["protocol", "label_noise"], note=RESTARTS)
        ask.remark(" ".join([ask.about(DATASETS[data]), *(f"{credit}." for credit in DATASETS[data].credits)]))
    losses = losses or [_loss(ask)]
    if any(loss.views for loss in losses):
        with ask.fold("Views"):
            values["augmentation"] = ask.knobs(Augmentation, "views", note=note)
    ask.heading("##### Net")
    values |= ask.values(Run, "run", ["dim"], note=RESTARTS)
    with ask.fold("Layers"):
        kind = _kind(ask, "net", "Net", NETS, NET)
        net = ask.knobs(NETS[kind], kind, note=RESTARTS)
    ask.heading("##### Training")
    learns = any(loss.learns for loss in losses)
    values |= ask.values(Run, "run", ["lr", *(["proxy_lr"] if learns else [])], note=note)
    values |= ask.values(Run, "run", ["steps"], note="More steps let a finished run go on.")
    with ask.fold("Batches, method, seed, device"):
        batches = _kind(ask, "sampler", "Batches", SAMPLERS, "p_by_k")
        sampler = ask.knobs(SAMPLERS[batches], batches, note=RESTARTS)
        values |= ask.values(Run, "run", ["chunk", "seed", "device"], note=RESTARTS)
        method = _method(ask, losses[0]) if note == LIVE else Plain()
    try:
        return Run(dataset=dataset, net=net, loss=losses[0], method=method, sampler=sampler, **values)
    except ValueError as error:
        ask.refuse(str(error), "The default run is used instead.")
        return Run()


def _loss(ask: Ask) -> Loss:
    ask.heading("##### Loss")
    name = _kind(ask, "loss", "Loss", KNOWN, "fastap", menu=True)
    loss = ask.knobs(KNOWN[name], f"loss.{name}", note=LIVE, knobs=trained)
    if not loss.unit:
        ask.remark("Trained on raw rows, whose lengths matter; shown and scored normalised.")
    if loss.views:
        ask.remark(
            "Trained without classes: a batch holds two random views of each of half its images, and each view should find its "
            "twin. Classes give colours and scores alone."
        )
    return loss


def _method(ask: Ask, loss: Loss) -> Method:
    """The chosen method of training; the plain one if the method refuses ``loss``."""
    name = _kind(ask, "method", "Method", METHODS, "plain", menu=True)
    method = ask.knobs(METHODS[name], f"method.{name}", note=RESTARTS)
    if name != "plain":
        differences = f"{method.faithful[:1].upper()}{method.faithful[1:]}"
        ask.remark(f"{method.sentence} *{differences}.* See [Beyond one loss](beyond_one_loss?method={name}).")
    if wrong := method.refuses(loss):
        ask.refuse(wrong, "Until then no method is used.")
        return Plain()
    return method


def _kind(ask: Ask, key: str, label: str, kinds: Mapping[str, Any], default: str, *, menu: bool = False) -> str:
    """The name of one of the ``kinds`` that the visitor may choose."""
    titles = {name: getattr(kind, "title", name) for name, kind in kinds.items() if ask.offers(kind)}
    return ask.choice(key, label, tuple(titles), default, named=titles, menu=menu)
