"""What the page of gradients says of its flows, with their numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dml_viz.explain.gradients.figures._panel import number
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_flow import NOISE, Flow, agreement
from dml_viz.explain.gradients.text import named, one

ENDS = {
    "arrived": ("arrives", "arrive"), "stuck": ("gets stuck", "get stuck"), "rests": ("comes to rest", "come to rest"),
    "moves": ("still moves", "still move"),
}  # fmt: skip


def flow_claim(model: Model, found: Mapping[str, Flow]) -> str:
    """How many arrive, get stuck, or are still on their way."""
    after = f"after {_steps(found)} steps"
    if len(found) == 1:
        ((name, own),) = found.items()
        if own.stalled == 0:
            return f"Follow the gradient: {model.titles[name]} moves no point"
        when = after if own.stalled is None else f"at step {own.stalled}"
        return f"Follow the gradient: {model.titles[name]} {ENDS[own.end][0]} {when}"
    ends = [own.end for own in found.values()]
    ends_in_words = [
        f"{ends.count(end)} {one(ends.count(end), *sentences)}" for end, sentences in ENDS.items() if end in ends
    ]
    return f"Follow the gradient: of {len(found)} losses {', '.join(ends_in_words)} {after}"


def flow_look_for(model: Model, found: Mapping[str, Flow]) -> str:
    """What the curves tell, and who is stuck."""
    if all(own.stalled == 0 for own in found.values()):
        return "lines that stay level: without a gradient no point moves."
    sentences = ["blue falling (a class gathers) and orange rising (classes part)."]
    stuck = [name for name, own in found.items() if own.end == "stuck"]
    if stuck or any(own.end == "arrived" for own in found.values()):
        who = f": {named(stuck, model)}" if stuck else ""
        sentences.append(
            f"At rest with every point ranked right a flow has arrived; at rest before that it is stuck{who}."
        )
    fro = [name for name, own in found.items() if own.to_and_fro]
    if fro:
        sentences.append(
            f"{named(fro, model)} {one(len(fro), 'goes', 'go')} to and fro: the step is longer than the way left."
        )
    return " ".join(sentences)


def flow_misleads(model: Model, found: Mapping[str, Flow], learnt_fixed: bool) -> str:
    """Why a value may rise, with numbers, and what a flow is not."""
    learnt = [name for name, loss in model.losses.items() if loss.learns]
    sentences = ["no net stands between the loss and the points, so each goes where it is sent."]
    if learnt:
        sentences.append(
            f"What is learnt ({named(learnt, model)}) {'is held' if learnt_fixed else 'flows too, at the same rate'}."
        )
    rising = [name for name, own in found.items() if own.rises]
    level = [name for name, own in found.items() if np.ptp(own.value) <= NOISE * np.abs(own.value).max(initial=1)]
    if rising:
        sentences.append(
            f"The value rises now and then in {len(rising)} of {len(found)}: {named(rising, model)}; why is told below."
        )
    elif len(level) < len(found):
        sentences.append("No value rises on the way.")
    if level:
        value = f" at {number(float(found[level[0]].value[0]))}" if len(level) == 1 else ""
        sentences.append(f"The value of {named(level, model)} stays as it is{value}, as no gradient moves the points.")
    return " ".join(sentences)


def rises(model: Model, found: Mapping[str, Flow], learnt_fixed: bool) -> list[str]:
    """For each loss whose value rises on the way, or whose gradient is not the value's, why and by how much."""
    sentences = []
    for name, own in found.items():
        loss = model.losses[name]
        if own.rises:
            sentences.append(
                f"**{model.titles[name]}** rises in {len(own.rises)} of {_steps(found)} steps, by up to "
                f"{number(own.highest)}: {own.why}."
            )
        elif (
            loss.constant
            and not loss.learns
            and np.isfinite(share := agreement(model.responses[name], learnt_fixed=learnt_fixed))
        ):
            sentences.append(
                f"**{model.titles[name]}** falls, and yet not by the value's own gradient, as some of it is held constant: a "
                f"small first step lowers the value {number(share)} times as much as the value's own gradient would."
            )
    return sentences


def _steps(found: Mapping[str, Flow]) -> int:
    return len(next(iter(found.values())).value) - 1
