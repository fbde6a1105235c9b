"""The form of a run: its controls in their order, drawn on a page and read from a link by the same function."""

from collections.abc import Sequence
from typing import Any

from dml_viz.losses import Loss
from dml_viz.params import Param, trained
from dml_viz.room.ask import Ask
from dml_viz.training.methods.plain import Plain
from dml_viz.training.run import PARTS, Run

RESTARTS = "Restarts the run."
LIVE = "May change while the run goes on; what changes what the loss learns restarts it."
LONGER = "More steps let a finished run go on."


def run_form(ask: Ask, losses: Sequence[Loss] = ()) -> Run:
    """The run that the settings declare, given ``losses`` with the first of them, and then without a control of the loss.

    Settings that do not fit together are refused by ``ask``: on a page with a warning and a default, in a link with ValueError.
    """
    form = _Form(ask, losses)
    ask.heading("##### Data")
    data = form.kind("dataset")
    with ask.fold("More on the data"):
        form.object("dataset", data)
        form.knobs("protocol", "label_noise")
        about = PARTS["dataset"].kinds[data]
        ask.remark(" ".join([ask.about(about), *(f"{credit}." for credit in about.credits)]))
    if not losses:
        ask.heading("##### Loss")
        form.losses = [form.object("loss", form.kind("loss", menu=True))]
        _explain(ask, form.losses[0])
    if any(loss.views for loss in form.losses):
        with ask.fold("Views"):
            form.object("augmentation", "views")
    ask.heading("##### Net")
    form.knobs("dim")
    with ask.fold("Layers"):
        form.object("net", form.kind("net"))
    ask.heading("##### Training")
    form.knobs("lr", "proxy_lr")
    form.knobs("steps", note=LONGER)
    with ask.fold("Batches, method, seed, device"):
        form.object("sampler", form.kind("sampler"))
        form.knobs("chunk", "seed", "device")
        if not losses:
            _method(ask, form)
    try:
        return Run(**{"loss": form.losses[0], **form.values})
    except ValueError as error:
        ask.refuse(str(error), "The default run is used instead.")
        return Run()


class _Form:
    """The values of a run's parts by name, as far as they have been asked for."""

    def __init__(self, ask: Ask, losses: Sequence[Loss]) -> None:
        self.losses, self.values = losses, dict[str, Any]()
        self._ask, self._single = ask, not losses

    def kind(self, name: str, *, menu: bool = False) -> str:
        """The name of the class that the visitor chooses for an object."""
        part = PARTS[name]
        titles = {kind: getattr(known, "title", kind) for kind, known in part.kinds.items() if self._ask.offers(known)}
        default = part.kind_of(part.default)
        return self._ask.choice(part.key, part.label.capitalize(), tuple(titles), default, named=titles, menu=menu)

    def object(self, name: str, kind: str) -> Any:
        """The object of the class called ``kind`` with the knobs that the visitor sets."""
        part = PARTS[name]
        value: Any = self._ask.knobs(part.kinds[kind], part.keys_of(kind), note=self._note(name), knobs=trained)
        self.values[name] = value
        return value

    def knobs(self, *names: str, note: str = "") -> None:
        """Ask for the knobs of the run that have an effect with one of the losses."""
        for name in names:
            if any(map(PARTS[name].suits, self.losses or [PARTS["loss"].default])):
                self.values |= self._ask.values(Run, "run", [name], note=note or self._note(name))

    def _note(self, name: str) -> str:
        return LIVE if PARTS[name].live and self._single else RESTARTS


def data_choice() -> Param:
    """The choice of the data set, before the form is drawn."""
    part = PARTS["dataset"]
    return Param(part.key, part.kind_of(part.default), "", part.label, choices=tuple(part.kinds))


def _explain(ask: Ask, loss: Loss) -> None:
    """Say how the training of ``loss`` differs from that of others."""
    if not loss.unit:
        ask.remark("Trained on raw rows, whose lengths matter; shown and scored normalised.")
    if loss.views:
        ask.remark(
            "Trained without classes: a batch holds two random views of each of half its images, and each view should find its "
            "twin. Classes give colours and scores alone."
        )


def _method(ask: Ask, form: _Form) -> None:
    """Ask for the method of training; a refused one is left out."""
    name = form.kind("method", menu=True)
    method = form.object("method", name)
    if method.changes_step:
        differences = f"{method.faithful[:1].upper()}{method.faithful[1:]}"
        ask.remark(f"{method.sentence} *{differences}.* See [Beyond one loss](beyond_one_loss?method={name}).")
    if wrong := method.refuses(form.losses[0]):
        ask.refuse(wrong, "Until then no method is used.")
        form.values["method"] = Plain()
