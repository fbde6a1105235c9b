"""The form of a run, drawn on a page and read from a link by the same function; the link of a run, and its subject."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch

from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import Loss
from dml_viz.params import Param, defaults, knobs, training_params
from dml_viz.registry import name_of
from dml_viz.room.ask import Ask
from dml_viz.room.link_reader import LinkReader
from dml_viz.training.frame import Frame
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
        value: Any = self._ask.knobs(part.kinds[kind], part.key_prefix(kind), note=self._note(name), knobs=training_params)
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


def run_link(run: Run) -> dict[str, str]:
    """The settings of ``run`` in a link, without defaults; empty if a control cannot show one of its values."""
    link: dict[str, str] = {}
    for name, part in PARTS.items():
        value = getattr(run, name)
        if part.kinds and part.suits(run.loss):
            kind = part.kind_of(value)
            link |= {part.key: kind} if kind != part.kind_of(part.default) else {}
            link |= _changed(value, part.key_prefix(kind))
        elif part.linked and not part.kinds and value != part.default:
            link[part.key] = str(value)
    try:
        same = run_form(LinkReader(link)) == replace(run, every=0)
    except ValueError:
        same = False
    return link if same else {}


def _changed(declared: Any, prefix: str) -> dict[str, str]:
    """The knobs of ``declared`` that are not at their defaults for training, as text in a link."""
    values = knobs(declared)
    changed = (knob for knob in training_params(declared) if values[knob.name] != knob.default)
    return {f"{prefix}.{knob.name}": str(values[knob.name]) for knob in changed}


def for_training(loss: Loss) -> Loss:
    """``loss`` for training: knobs at their defaults for pictures are set to their defaults for training."""
    for_pictures, values = defaults(loss), knobs(loss)
    unchanged = {k.name: k.default for k in training_params(loss) if values[k.name] == for_pictures[k.name]}
    return type(loss)(**{**values, **unchanged})


def loss_link_settings(loss: Loss) -> dict[str, Any]:
    """The settings of a run, by key, that make its loss ``loss``."""
    name = name_of(loss)
    return {"loss": name, **{f"loss.{name}.{knob.name}": knobs(loss)[knob.name] for knob in training_params(loss)}}


class EvaluatedPoints:
    """The evaluated points of a run in one of `GROUPS`."""

    GROUPS: ClassVar = ("unseen classes", "seen classes")
    OF_ALL_CLASSES: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"unseen classes": "held-out images", "seen classes": "training images"}
    )

    def __init__(self, run: Run, subset: EvaluationSubset, group: str) -> None:
        self._run, self._subset = run, subset
        self._members = subset.members(group.split()[0])
        self._title = self.titles(run).get(group, group)

    @classmethod
    def titles(cls, run: Run) -> Mapping[str, str]:
        """The titles of the groups of ``run`` that differ from their names."""
        return cls.OF_ALL_CLASSES if run.protocol == "all classes" else {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all classes."""
        return self._subset.names

    @property
    def images(self) -> np.ndarray:
        """The images (W, height, width) uint8 of the points."""
        return self._subset.images[self._members]

    def embeddings(self, frame: Frame) -> Embeddings:
        """The points at ``frame`` as float64 unit rows, with the loss's learnt tensors and the plane of the run."""
        z = torch.from_numpy(frame.z[self._members].astype(np.float64))  # (W, d)
        learnt = {name: torch.from_numpy(array.astype(np.float64)) for name, array in frame.learnt.items()}
        title = f"{type(self._run.dataset).title}, {self._run.loss.name}, step {frame.step}, {self._title}"
        labels = torch.from_numpy(self._subset.y[self._members])
        plane = None if frame.plane is None else frame.plane.astype(np.float64)
        return Embeddings(torch.nn.functional.normalize(z, dim=1), labels, title, learnt, plane)
