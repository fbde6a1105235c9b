"""The proxies of a step of a live run: those that it has learnt, with their paths, or stand-ins."""

from __future__ import annotations

from collections.abc import Sequence
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
    embeddings, live = _of_run(shown)
    return _trained(live) if _has_learnt(embeddings, live, place) else _present(embeddings)


def with_run_proxies(shown: Shown, settings: Settings) -> tuple[Embeddings, Settings]:
    """The embeddings of the run of ``shown`` with proxies, and the settings with a note on where these come from.

    Where the run has learnt none for these classes, they are class means. Where it trains Proxy-NCA in another form than the
    settings have, the note says so.
    """
    embeddings, live = _of_run(shown)
    if _has_learnt(embeddings, live, settings.place):
        learnt, note = _learnt(embeddings, live, shown.step)
    else:
        learnt, note = _stand_ins(embeddings, live, settings.place)
    trained = live.run.loss
    if isinstance(trained, ProxyNCA) and trained.positive_in_denominator != settings.nca.positive_in_denominator:
        forms = "keeps the positive in the denominator", "leaves it out, as in the paper"
        if not trained.positive_in_denominator:
            forms = "leaves the positive out of the denominator", "keeps it"
        note += f" The run's Proxy-NCA {forms[0]}; the one shown {forms[1]}."
    return replace(embeddings, learnt=learnt), replace(settings, note=note)


def _of_run(shown: Shown) -> tuple[Embeddings, Job]:
    assert shown.embeddings is not None
    assert shown.live is not None
    return shown.embeddings, shown.live


def _trained(live: Job) -> tuple[int, ...]:
    return live.subject.train_classes if live.subject else ()


def _present(embeddings: Embeddings) -> tuple[int, ...]:
    return tuple(sorted(set(embeddings.y.tolist())))


def _has_learnt(embeddings: Embeddings, live: Job, place: str) -> bool:
    return place == LEARNT and "proxies" in embeddings.learnt and set(_present(embeddings)) <= set(_trained(live))


def _learnt(embeddings: Embeddings, live: Job, step: int | None) -> tuple[dict[str, Tensor], str]:
    proxies, classes = embeddings.learnt["proxies"], _trained(live)
    count = len(proxies) // len(classes)
    steps = _steps(live, step)
    frames = [frame for at in steps if (frame := live.at(at)) is not None and "proxies" in frame.learnt]
    path = [_one_to_a_class(torch.from_numpy(frame.learnt["proxies"].astype(np.float64)), count) for frame in frames]
    path.append(_one_to_a_class(proxies, count))
    learnt = {"proxies": path[-1], "classes": torch.tensor(classes), "paths": torch.stack(path)}
    several = f", the mean of its {count} centres for each class" if count > 1 else ""
    note = f"Stars are the proxies that the run has learnt{several}, with their paths since step {steps[0]}."
    return learnt | ({"centres": normalise(proxies)} if count > 1 else {}), note


def _stand_ins(embeddings: Embeddings, live: Job, place: str) -> tuple[dict[str, Tensor], str]:
    classes = torch.tensor(_present(embeddings))
    at = "class means" if place == LEARNT else place
    proxies = PLACES[at](embeddings.z, torch.searchsorted(classes, embeddings.y), len(classes))
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
    return {"proxies": proxies, "classes": classes}, note


def _steps(live: Job, step: int | None) -> Sequence[int]:
    """The steps of a path up to ``step``, thinned evenly."""
    steps = [at for at in live.steps if step is None or at <= step] or [0]
    return steps[:: -(-len(steps) // PATH)]


def _one_to_a_class(proxies: Tensor, count: int) -> Tensor:
    return normalise(proxies.view(-1, count, proxies.shape[1]).mean(1))
