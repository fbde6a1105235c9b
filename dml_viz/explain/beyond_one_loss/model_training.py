"""The runs that show the effect of a method, plain and with it, from the same seeds, and which of them are recorded."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median
from types import MappingProxyType
from typing import Any, NamedTuple

from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.ranked_list import RankedList
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params
from dml_viz.room.source import Picture
from dml_viz.training.device import repeatable
from dml_viz.training.learners import learner_of
from dml_viz.training.loop import begin
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method
from dml_viz.training.methods.codes import Codes
from dml_viz.training.methods.tree import Tree
from dml_viz.training.nets.levels import Levels
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.paths import with_training_defaults
from dml_viz.training.race import Race, Racer
from dml_viz.training.run import Run
from dml_viz.training.sweep import Axis, Sweep

# With five seeds one of two is ahead in all of them by chance alone too often (1 in 16) to decide.
PLAIN, SEEDS = "plain", 8
SCORES: Mapping[str, str] = MappingProxyType({"map": "mAP", "r1": "R@1"})
TOGETHER = "together"  # the key of the race of both
# Codes that are compared: their parts, the codewords of a part, and seeds.
PARTS, WORDS, CODED_SEEDS = (1, 2, 4, 8), (4, 16, 64), 3
STEPS = 100  # on the points of a scene
FIRST = "tree"  # of links that name no method
OPENING = "levels"  # the method whose gain of mAP is the largest of those that are more than chance
OFFERED = (FIRST, *(name for name in METHODS if name not in (PLAIN, FIRST)))
START = Run(Glyphs(), net=MLP(), dim=64, sampler=PByK(8, 8), loss=with_training_defaults(Triplet))
# Methods that need another start to show their effect.
STARTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "tree": {"loss": with_training_defaults(Contrastive)},
        "divide": {"loss": with_training_defaults(Contrastive)},
        "signatures": {"sampler": PByK(4, 16)},
        "density": {"label_noise": 0.3},
        "levels": {"net": Levels(), "loss": with_training_defaults(RankedList)},
        "learnt_sampler": {"sampler": PByK(4, 16)},
        "teacher": {"dim": 3},
        "two_losses": {"loss": with_training_defaults(Angular)},
    }
)


class Baseline(NamedTuple):
    """The run that a method which replaces the loss is compared with: itself, with ``knob`` at ``value``; ``title`` names it."""

    knob: str
    value: float
    title: str


# Beside plain runs these would be compared with another loss, too.
BASELINES: Mapping[str, Baseline] = MappingProxyType(
    {"few_proxies": Baseline("share", 1.0, "a proxy for each class"), "density": Baseline("radius", 2.0, "means as centres")}
)


@dataclass(frozen=True)
class Settings:
    """A method, the loss that it goes with, the number of its steps on the points, and the picture of both runs' points."""

    method: Method = field(default_factory=Tree)
    loss: Loss = field(default_factory=Contrastive)
    step: int = STEPS // 10
    picture: Picture = "map"

    @property
    def run(self) -> Run:
        """The run with the method."""
        return replace(plain_run_for(self.method), loss=self.loss, method=self.method)

    @property
    def baseline(self) -> Baseline | None:
        """The variant of the method that it is compared with; None if that is the plain run."""
        baseline = BASELINES.get(self.method.link_name) if self.method.replaces_loss else None
        return baseline if baseline and getattr(self.method, baseline.knob) != baseline.value else None

    @property
    def baseline_name(self) -> str:
        """The name of the run that the method is compared with."""
        return self.baseline.title if self.baseline else PLAIN

    @property
    def axis(self) -> Axis:
        """The difference between the runs compared: the baseline's knob, or else the method."""
        if self.baseline is None:
            return Axis("method", (PLAIN, self.method.link_name))
        return Axis(f"method.{self.baseline.knob}", (self.baseline.value, getattr(self.method, self.baseline.knob)))

    @property
    def sweep(self) -> Sweep:
        """The runs that are compared, from several seeds."""
        return Sweep(self.run, (self.axis,), SEEDS)


def plain_run_for(method: Method) -> Run:
    """The plain run that a method is compared with."""
    return replace(START, **STARTS.get(method.link_name, {}))


def losses_trained(settings: Settings) -> tuple[Loss, ...]:
    """The losses of the runs that are compared; none where the method replaces the loss."""
    return () if settings.method.replaces_loss else (settings.loss,)


def losses_for(method: Method) -> tuple[str, ...]:
    """The names of the losses without learnt tensors that a method can be trained with."""
    losses = {name: with_training_defaults(kind) for name, kind in LOSSES.items()}
    return tuple(name for name, loss in losses.items() if not (loss.learns or method.refuses(loss)))


def race_of(settings: Settings) -> Race:
    """The race of the run without the method and the run with it, from the first seed."""
    method = settings.method
    changes = (("method", method.link_name), *_changed(method))
    before: tuple[tuple[str, Any], ...] = ()
    if settings.baseline:
        knob, value, _ = settings.baseline
        before = (("method", method.link_name), *_changed(replace(method, **{knob: value})))
    return Race(plain_run_for(method), (Racer(settings.loss, changes=before), Racer(settings.loss, changes=changes)))


def _changed(method: Method) -> list[tuple[str, Any]]:
    """The knobs of a method that are not at their defaults, by their paths."""
    values = ((f"method.{knob.name}", getattr(method, knob.name), knob.default) for knob in params(method))
    return sorted((path, value) for path, value, default in values if value != default)


def recorded_sweeps() -> tuple[Sweep, ...]:
    """The comparisons that the page shows as it opens, one for each method at its defaults, and the runs with codes."""
    methods = [METHODS[name]() for name in OFFERED]
    return (*(Settings(method, plain_run_for(method).loss).sweep for method in methods), coded_sweep())


def coded_sweep() -> Sweep:
    """Runs with codes of more and fewer bits."""
    run = replace(plain_run_for(Codes()), method=Codes())
    return Sweep(run, (Axis("method.parts", PARTS), Axis("method.words", WORDS)), CODED_SEEDS)


@cache
def survey_and_step_ms(kind: type[Method]) -> tuple[float, float]:
    """Measure the milliseconds of a survey (a look at all training images) and of a step, once; of a method at its defaults."""
    times, run = [], Settings(kind(), plain_run_for(kind()).loss).run
    with repeatable():
        learner = learner_of(run, begin(run))
        for _ in range(2 * kind.every + 1):
            began = time.perf_counter()
            learner.train()
            times.append(1000 * (time.perf_counter() - began))
    surveys = times[:: kind.every][1:]
    step = median(each for k, each in enumerate(times) if k % kind.every)
    return min(surveys) - step, step
