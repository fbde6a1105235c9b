"""The runs that show the effect of a method: plain ones and ones with it, from the same seeds; which are recorded."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median
from types import MappingProxyType
from typing import Any

from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.ranked_list import RankedList
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params
from dml_viz.training.device import repeatable
from dml_viz.training.learners import learner_of
from dml_viz.training.loop import begin
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method
from dml_viz.training.methods.tree import Tree
from dml_viz.training.nets.levels import Levels
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.paths import made
from dml_viz.training.race import Race, Racer
from dml_viz.training.run import Run
from dml_viz.training.sweep import Axis, Sweep

# With five seeds one of two is ahead in all of them by chance alone too often (1 in 16) to decide.
PLAIN, SEEDS = "plain", 8
SCORES: Mapping[str, str] = MappingProxyType({"map": "mAP", "r1": "R@1"})
TOGETHER = "together"  # the key of the race of both
STEPS = 100  # on the points of a scene
FIRST = "tree"
OFFERED = (FIRST, *(name for name in METHODS if name not in (PLAIN, FIRST)))
START = Run(Glyphs(), net=MLP(), dim=64, sampler=PByK(8, 8), loss=made(Triplet))
# Methods that need another start to show their effect.
STARTS: Mapping[str, Mapping[str, Any]] = MappingProxyType({
    "tree": {"loss": made(Contrastive)},
    "signatures": {"sampler": PByK(4, 16)},
    "density": {"label_noise": 0.3},
    "levels": {"net": Levels(), "loss": made(RankedList)},
    "learnt_sampler": {"sampler": PByK(4, 16)},
    "teacher": {"dim": 3},
    "two_losses": {"loss": made(Angular)},
})  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """A method, the loss that it goes with, the number of its steps on the points, and the score shown of trained runs."""

    method: Method = field(default_factory=Tree)
    loss: Loss = field(default_factory=Contrastive)
    step: int = STEPS // 4
    score: str = "map"

    @property
    def run(self) -> Run:
        """The run with the method."""
        return replace(start_of(self.method), loss=self.loss, method=self.method)

    @property
    def sweep(self) -> Sweep:
        """The plain run and the one with the method, from several seeds."""
        return Sweep(self.run, (Axis("method", (PLAIN, self.method.name)),), SEEDS)


def start_of(method: Method) -> Run:
    """The plain run that a method is compared with."""
    return replace(START, **STARTS.get(method.name, {}))


def accepted(method: Method) -> tuple[str, ...]:
    """The names of the losses without learnt tensors that a method can be trained with."""
    losses = {name: made(kind) for name, kind in LOSSES.items()}
    return tuple(name for name, loss in losses.items() if not (loss.learns or method.refuses(loss)))


def race_of(settings: Settings) -> Race:
    """The plain run and the one with the method, of the first seed."""
    method = settings.method
    changed = (
        (f"method.{knob.name}", value)
        for knob in params(method)
        if (value := getattr(method, knob.name)) != knob.default
    )
    own = (("method", method.name), *sorted(changed))
    return Race(start_of(method), (Racer(settings.loss), Racer(settings.loss, changes=own)))


def recorded_sweeps() -> tuple[Sweep, ...]:
    """The comparisons that the page shows as it opens, one for each method at its defaults."""
    methods = [METHODS[name]() for name in OFFERED]
    return tuple(Settings(method, start_of(method).loss).sweep for method in methods)


@cache
def milliseconds(kind: type[Method]) -> tuple[float, float]:
    """The time of a survey and of a step of a method at its defaults, by the clock of this server, measured once."""
    taken, run = [], Settings(kind(), start_of(kind()).loss).run
    with repeatable():
        learner = learner_of(run, begin(run))
        for _ in range(2 * kind.every + 1):
            began = time.perf_counter()
            learner.train()
            taken.append(1000 * (time.perf_counter() - began))
    surveys = taken[:: kind.every][1:]
    step = median(each for place, each in enumerate(taken) if place % kind.every)
    return min(surveys) - step, step
