"""The sentences of the page of gradients with numbers of its model."""

from collections.abc import Iterable

import numpy as np

from dml_viz.explain.gradients.figures._panel import number
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_flow import agreement_with_slope, effect_of_step
from dml_viz.explain.gradients.model_panels import AMBIENT, LONGEST_ARROW, RAW
from dml_viz.room.words import FirstFigure

MOST_NAMES = 3  # losses named at most
WHOLE, COUNTED = 100, 1e6  # factors between these are written as counts
ENDS = {"arrived": "arrived", "stuck": "stuck", "rests": "at rest", "moves": "still moving"}


def arrows_claim(model: Model) -> str:
    """The claim on how many losses move points, and how far their gradients differ in length."""
    norms = [response.gradient_norm for response in model.responses.values() if response.gradient_norm > 0]
    if len(norms) < 2:
        return f"Losses with a gradient on these points: {len(norms)} of {len(model.responses)}"
    return f"The same points under {len(norms)} losses: gradients differ in length by a factor of {longest_over_shortest(model)}"


def arrows_look_for(model: Model) -> str:
    """What to look for in the panels: losses without a gradient at the picked point."""
    picked = min(model.settings.query, len(model.y) - 1)
    without = [name for name, response in model.responses.items() if not response.tangent_lengths[picked]]
    names = f": {title_list(without, model)}" if without else ""
    return (
        f"point #{picked}. Losses without a gradient there: {len(without)} of {len(model.responses)}{names}. Point at it "
        "to see the pairs behind its arrows. Below each panel: the loss L, the length |g| of its gradient, and the "
        "shares of points and of pairs with a gradient."
    )


def arrows_mislead(model: Model) -> str:
    """How the panels mislead, given their scale, plane and zoom."""
    losses, ambient, zoom = model.losses, model.settings.part == AMBIENT, model.points.zoom
    longer = sum(
        int((times * panel.lengths > LONGEST_ARROW * (1 + 1e-6)).sum())
        for times, panel in zip(model.arrow_factors, model.panels, strict=True)
    )
    share_drawn = np.nanmin([1.0, *(panel.share_drawn for panel in model.panels)])
    raw = [name for name, loss in losses.items() if not loss.unit]
    views = [name for name, loss in losses.items() if loss.views]
    facts = (
        (model.settings.scale == RAW, "one factor scales all arrows, so small gradients cannot be seen."),
        (model.settings.scale != RAW, "each loss has its own scale: its mean arrow is equally long in every panel."),
        (longer, f"Arrows longer than they are drawn are dashed: {longer}."),
        (ambient, "The radial part belongs to inner products; a net that normalises its rows has none of it."),
        (model.points.circle and not ambient, "Arrows along the circle are moved inwards so that none covers another."),
        (share_drawn < 0.9995, f"The plane shows at least {share_drawn:.0%} of each loss's gradient; the rest points out of it."),
        (zoom > 1, f"Points are drawn {zoom:g} times as far apart as they are in that plane."),
        (raw, f"Losses of raw rows, which have length 1 here: {title_list(raw, model)}."),
        (views, f"Losses of two views of one image, which are the points of a class here: {title_list(views, model)}."),
    )
    return " ".join(sentence for holds, sentence in facts if holds)


def alike_claim(model: Model) -> str:
    """The claim on the most and the least similar gradients."""
    like, names = model.likeness, list(model.titles.values())
    titles = [names[k] for k in like.order]
    i, j = np.triu_indices(len(titles), 1)
    values = like.cosines[i, j]
    if not np.isfinite(values).any():
        return "Cosines between gradients need two losses with a gradient"
    if np.isfinite(values).sum() == 1:
        only = int(np.nanargmax(values))
        return f"The gradients of {titles[i[only]]} and {titles[j[only]]} have a cosine of {values[only]:.2f}".replace(" -", " −")
    (most, highest), (least, lowest) = ((k, f"{values[k]:.2f}") for k in (np.nanargmax(values), np.nanargmin(values)))
    return (
        f"{titles[i[most]]} and {titles[j[most]]} agree most (cosine {highest}), {titles[i[least]]} and "
        f"{titles[j[least]]} least ({lowest})"
    ).replace("(-", "(−")


def flow_claim(model: Model) -> str:
    """The claim on how many flows arrive, get stuck, or still move."""
    ends = [flow.end for flow in model.flows.values()]
    counts = ", ".join(f"{ends.count(end)} {words}" for end, words in ENDS.items() if end in ends)
    return f"Follow the gradient for {number_of_steps(model)} steps: {counts}"


def flow_look_for(model: Model) -> str:
    """What to look for in the flows: what the curves mean, and which flows are stuck or go to and fro."""
    if len(set(model.y.tolist())) == len(model.y):
        return "orange rising: the mean distance between points, which is also the last number below. No two are of one class."
    stuck = [name for name, flow in model.flows.items() if flow.end == "stuck"]
    fro = [name for name, flow in model.flows.items() if flow.to_and_fro]
    return (
        "blue falling (each class gathers) and orange rising (classes separate): the mean distances within a class and between "
        "classes, which are also the last numbers below. At rest with every point ranked right, a "
        "flow has arrived. At rest before that, it is stuck"
        + (f": {title_list(stuck, model)}." if stuck else ".")
        + (f" To and fro, as the step is too long: {title_list(fro, model)}." if fro else "")
    )


def flow_misleads(model: Model) -> str:
    """How the flows mislead, and how many values rise."""
    learnt = [name for name, loss in model.losses.items() if loss.learns]
    rising = sum(bool(flow.rises) for flow in model.flows.values())
    how = "stay fixed" if model.settings.learnt_fixed else "move at the same rate"
    lost = [name for name, flow in model.flows.items() if flow.lost]
    return (
        "there is no net between the loss and the points, so each point follows its own gradient. "
        + (
            f"A step too long ends in numbers that are not finite; the state before it stays: {title_list(lost, model)}. "
            if lost
            else ""
        )
        + (f"Learnt tensors {how}: {title_list(learnt, model)}. " if learnt else "")
        + f"Losses whose value rises on the way: {rising} of {len(model.flows)}."
    )


def on_rising_values(model: Model) -> list[str]:
    """Sentences on losses whose value rises on the way, or whose gradient is not the slope of their value."""
    sentences = []
    for name, flow in model.flows.items():
        loss, title = model.losses[name], model.titles[name]
        if flow.rises:
            times = f"{len(flow.rises)} of {number_of_steps(model)} steps, by at most {number(float(np.diff(flow.value).max()))}"
            sentences.append(f"**{title}** rises in {times}. {flow.why}")
        elif loss.held_constant and not loss.learns:
            share = agreement_with_slope(model.responses[name], learnt_fixed=model.settings.learnt_fixed)
            if np.isfinite(share):
                sentences.append(f"**{title}** holds something constant: a tiny step {effect_of_step(share)}.")
    return sentences


def learnt_from(model: Model) -> str:
    """The sentence on where the losses' learnt tensors come from."""
    sources: dict[str, list[str]] = {}
    for name, inputs in model.inputs.items():
        if inputs.note:
            sources.setdefault(inputs.note, []).append(model.titles[name])
    text = "; ".join(f"{', '.join(titles)}: {note}" for note, titles in sources.items())
    return f"Learnt tensors: {text}." if text else ""


def number_of_steps(model: Model) -> int:
    """The number of steps of the flows."""
    return len(next(iter(model.flows.values())).value) - 1


def title_list(names: Iterable[str], model: Model) -> str:
    """The titles of losses of ``model``, the first `MOST_NAMES` of many."""
    titles = [model.titles[name] for name in names]
    return ", ".join(titles[:MOST_NAMES]) + (f" and {len(titles) - MOST_NAMES} more" if len(titles) > MOST_NAMES else "")


def longest_over_shortest(model: Model) -> str:
    """The longest of all gradients over the shortest; a large ratio has its thousands separated."""
    norms = [response.gradient_norm for response in model.responses.values() if response.gradient_norm > 0]
    value = max(norms) / min(norms)
    return f"{value:,.0f}" if WHOLE <= value < COUNTED else number(value)


FIRST = FirstFigure(
    arrows_claim,
    arrows_look_for,
    arrows_mislead,
    (),
    lambda model, _: learnt_from(model),
    "{size} points in {dim} dimensions.",
    claimed_of_model=True,
)
