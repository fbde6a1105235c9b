"""The proxies of a step of a live run: those that it has learnt, with their paths, or stand-ins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from dml_viz.app.room import Shown
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import normalise
from dml_viz.engine import Job
from dml_viz.explain.proxies.model import LEARNT, Settings
from dml_viz.explain.proxies.scenes import PLACES
from dml_viz.losses.proxy_nca import ProxyNCA

PROXIES = (LEARNT, "class means", "spread")
PATH = 60  # places at most that a path goes through


def classes_of(shown: Shown, place: str) -> tuple[int, ...]:
    """The classes for which the run of ``shown`` has proxies at ``place``, one of `PROXIES`."""
    return _of_run(shown, place)[2]


def with_run_proxies(shown: Shown, settings: Settings) -> tuple[Embeddings, Settings]:
    """The embeddings of the run of ``shown`` with proxies, and the settings with a note on where these come from.

    Where the run has learnt none for these classes, they are class means. Where it trains Proxy-NCA in another form than the
    settings have, the note says so.
    """
    embeddings, live, classes, has_learnt = _of_run(shown, settings.place)
    if has_learnt:
        learnt, note = _learnt(embeddings, live, classes, shown.step)
    else:
        learnt, note = _stand_ins(embeddings, live, classes, settings.place)
    trained = live.run.loss
    if isinstance(trained, ProxyNCA) and trained.positive_in_denominator != settings.nca.positive_in_denominator:
        forms = "keeps the positive in the denominator", "leaves it out, as in the paper"
        if not trained.positive_in_denominator:
            forms = "leaves the positive out of the denominator", "keeps it"
        note += f" The run's Proxy-NCA {forms[0]}; the one shown {forms[1]}."
    return replace(embeddings, learnt=learnt), replace(settings, note=note)


def _of_run(shown: Shown, place: str) -> tuple[Embeddings, Job, tuple[int, ...], bool]:
    """The embeddings of a run, the run, the classes for which it has proxies, and whether it has learnt these."""
    embeddings, live = shown.embeddings, shown.live
    assert embeddings is not None
    assert live is not None
    trained, present = live.subject.train_classes if live.subject else (), sorted(set(embeddings.y.tolist()))
    learnt = place == LEARNT and "proxies" in embeddings.learnt and set(present) <= set(trained)
    return embeddings, live, trained if learnt else tuple(present), learnt


def _learnt(
    embeddings: Embeddings, live: Job, classes: tuple[int, ...], step: int | None
) -> tuple[dict[str, Tensor], str]:
    proxies = embeddings.learnt["proxies"]
    count = len(proxies) // len(classes)
    steps = [at for at in live.steps if step is None or at <= step] or [0]
    steps = steps[:: -(-len(steps) // PATH)]
    frames = [frame for at in steps if (frame := live.at(at)) is not None and "proxies" in frame.learnt]
    path = [_one_to_a_class(torch.from_numpy(frame.learnt["proxies"].astype(np.float64)), count) for frame in frames]
    path.append(_one_to_a_class(proxies, count))
    learnt = {"proxies": path[-1], "classes": torch.tensor(classes), "paths": torch.stack(path)}
    several = f", the mean of its {count} centres for each class" if count > 1 else ""
    note = f"Stars are the proxies that the run has learnt{several}, with their paths since step {steps[0]}."
    return learnt | ({"centres": normalise(proxies)} if count > 1 else {}), note


def _stand_ins(
    embeddings: Embeddings, live: Job, classes: tuple[int, ...], place: str
) -> tuple[dict[str, Tensor], str]:
    at, present = "class means" if place == LEARNT else place, torch.tensor(classes)
    proxies = PLACES[at](embeddings.z, torch.searchsorted(present, embeddings.y), len(classes))
    where = {"class means": "at the means of these classes", "spread": "spread evenly"}[at]
    if place != LEARNT:
        note = f"The stars stand {where}, whatever the run has learnt."
    elif "proxies" in embeddings.learnt:
        note = (
            "The run's proxies stand for the classes it trains on, not for these; look at the seen classes to see them. "
            f"Stars {where} stand in for them."
        )
    else:
        note = f"{type(live.run.loss).title} learns no proxies. Stars {where} stand in for them."
    return {"proxies": proxies, "classes": present}, note


def _one_to_a_class(proxies: Tensor, count: int) -> Tensor:
    return normalise(proxies.view(-1, count, proxies.shape[1]).mean(1))
