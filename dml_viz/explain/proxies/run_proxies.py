"""What stands before the losses of proxies: the scene in the hand, or a step of the live run with the stars it has learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from dml_viz.app.training_session import NEWEST
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import normalise
from dml_viz.engine import Job
from dml_viz.explain.proxies.scenes import PLACES
from dml_viz.losses.proxy_nca import ProxyNCA

LEARNT = "learnt"
STARS = (LEARNT, "class means", "spread")
PATH = 60  # places at most that a path goes through


@dataclass(frozen=True, eq=False)
class Prepared:
    """Embeddings with proxies, the class that each row of these stands for, and a sentence on where they come from."""

    embeddings: Embeddings
    classes: tuple[int, ...]
    note: str


def of_scene(subject: Embeddings) -> Prepared:
    """A scene with its stars."""
    return Prepared(
        subject,
        tuple(range(len(subject.learnt["proxies"]))),
        "Stars are the proxies, one to a class; drag them as well.",
    )


def of_run(subject: Embeddings, live: Job, stars: str, shown: ProxyNCA | None = None) -> Prepared:
    """A step of a run with ``stars`` (one of `STARS`); where it has learnt none for these classes, with class means.

    Where the run trains Proxy-NCA in another form than is ``shown``, the note says so.
    """
    prepared = _of_run(subject, live, stars)
    trained = live.run.loss
    if shown is None or not isinstance(trained, ProxyNCA):
        return prepared
    if trained.positive_in_denominator == shown.positive_in_denominator:
        return prepared
    kept, not_kept = "keeps the positive in the denominator", "leaves it out, as in the paper"
    if not trained.positive_in_denominator:
        kept, not_kept = "leaves the positive out of the denominator", "keeps it"
    note = f"{prepared.note} The run's Proxy-NCA {kept}; the one shown {not_kept}."
    return replace(prepared, note=note)


def _of_run(subject: Embeddings, live: Job, stars: str) -> Prepared:
    trained = live.subject.train_classes if live.subject else ()
    present = tuple(sorted(set(subject.y.tolist())))
    found = subject.learnt.get("proxies")
    wanted = stars == LEARNT
    if wanted and found is not None and set(present) <= set(trained):
        return _learnt(subject, live, trained, found)
    y = _rows(subject.y, present)
    place = "class means" if wanted else stars
    embeddings = replace(subject, y=y, learnt={"proxies": PLACES[place](subject.z, y, len(present))})
    where = {"class means": "at the means of these classes", "spread": "spread evenly"}[place]
    if not wanted:
        return Prepared(embeddings, present, f"The stars stand {where}, whatever the run has learnt.")
    lacks = (
        f"{type(live.run.loss).title} learns no proxies"
        if found is None
        else "The run's proxies stand for the classes it trains on, not for these; look at the seen classes to see them"
    )
    return Prepared(embeddings, present, f"{lacks}. Stars {where} stand in for them.")


def _learnt(subject: Embeddings, live: Job, trained: tuple[int, ...], found: Tensor) -> Prepared:
    count = len(found) // len(trained)
    steps = _steps(live)
    frames = [frame for step in steps if (frame := live.at(step)) is not None and "proxies" in frame.learnt]
    path = [_one_to_a_class(torch.from_numpy(frame.learnt["proxies"].astype(np.float64)), count) for frame in frames]
    path.append(_one_to_a_class(found, count))
    learnt = {"proxies": path[-1], "paths": torch.stack(path)}
    if count > 1:
        learnt["centres"] = normalise(found)
    embeddings = replace(subject, y=_rows(subject.y, trained), learnt=learnt)
    many = f", the mean of its {count} centres for each class" if count > 1 else ""
    return Prepared(
        embeddings,
        trained,
        f"Stars are the proxies that the run has learnt{many}, with their paths since step {steps[0]}.",
    )


def _steps(live: Job) -> Sequence[int]:
    """The steps of a path up to the one looked at, thinned evenly."""
    asked = int(st.session_state.get("step", NEWEST))
    steps = [step for step in live.steps if asked == NEWEST or step <= asked] or [0]
    return steps[:: -(-len(steps) // PATH)]


def _one_to_a_class(proxies: Tensor, count: int) -> Tensor:
    return normalise(proxies.view(-1, count, proxies.shape[1]).mean(1))


def _rows(y: Tensor, classes: Sequence[int]) -> Tensor:
    return torch.searchsorted(torch.tensor(classes), y)
