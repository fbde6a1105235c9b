"""What the page of gradients says of its pictures, with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dml_viz.figures.gradients_panel import Panel, number
from dml_viz.gradients_anatomy.flow import Flow, agreement
from dml_viz.gradients_anatomy.likeness import Likeness
from dml_viz.gradients_anatomy.look import Look
from dml_viz.gradients_anatomy.scaling import RAW, cut
from dml_viz.ui.gradients_choice import TITLES
from dml_viz.ui.gradients_view import AMBIENT

MOST = 3  # losses that are named, of more


def arrows_claim(look: Look) -> str:
    """What the panels show."""
    norms = [found.norm for found in look.felt.values() if found.norm > 0]
    if len(look.felt) < 2 or len(norms) < 2:
        return f"Where {_named(look.felt)} send{'s' if len(look.felt) == 1 else ''} each point"
    return (
        f"The same points, {len(look.felt)} losses: gradients differ by a factor of {number(max(norms) / min(norms))}"
    )


def arrows_look_for(look: Look, picked: int) -> str:
    """Who is moved, of the picked point and of all."""
    felt = look.felt
    if len(felt) == 1:
        ((name, found),) = felt.items()
        own = "moves" if found.lengths[picked] else "leaves"
        return (
            f"point #{picked}, which {TITLES[name]} {own}: point at it to see the pairs that make its arrow. "
            f"In all, {found.points[0]} of {found.points[1]} points are moved."
        )
    left = [name for name, found in felt.items() if not found.lengths[picked]]
    shares = {name: found.points[0] / found.points[1] for name, found in felt.items()}
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    none = f"{len(left)} of {len(felt)} losses leave it where it is{f' ({_named(left)})' if left else ''}"
    some = (
        f"{TITLES[most]} moves {shares[most]:.0%} of the points, {TITLES[least]} {shares[least]:.0%}. "
        if shares[most] > shares[least]
        else f"every loss here moves {shares[most]:.0%} of the points. "
    )
    return f"point #{picked}: {none}. {some[:1].upper()}{some[1:]}Point at it to see the pairs that make its arrow."


def arrows_mislead(look: Look, panels: Sequence[Panel], factors: Sequence[float], scale: str, part: str) -> str:
    """What the drawing hides."""
    norms = {panel.title: panel.norm for panel in panels if panel.norm > 0}
    said = []
    if len(norms) > 1:
        most, least = max(norms, key=norms.__getitem__), min(norms, key=norms.__getitem__)
        times = f"{most}'s gradient is {number(norms[most] / norms[least])} times as long as {least}'s"
        said.append(
            f"one factor draws all arrows, so that a small gradient cannot be seen: {times}."
            if scale == RAW
            else f"each loss has a ruler of its own: its mean arrow is equally long everywhere, but {times}."
        )
    long = sum(int(cut(panel.lengths, factor).sum()) for panel, factor in zip(panels, factors, strict=True))
    if long:
        said.append(f"{long} arrows are longer than drawn, and dashed.")
    if part == AMBIENT:
        said.append(
            "The radial part is that of inner products; written in distances the same loss has another one, and a net that "
            "normalises its rows feels neither."
        )
    elif look.z.shape[1] == 2:
        said.append("Arrows along the circle are drawn further in, where they do not cover each other.")
    shown = [panel.shown for panel in panels if panel.shown < 0.9995]
    if shown:
        said.append(
            f"The plane shows {min(shown):.0%} to {max(shown):.0%} of a loss's gradient; the rest points out of it."
        )
    raw = [name for name, loss in look.losses.items() if not loss.unit]
    if raw:
        said.append(f"{_named(raw)}: rows are raw there, of length 1 for this picture.")
    views = [name for name, loss in look.losses.items() if loss.views]
    if views:
        said.append(f"{_named(views)}: every class plays the part of one image.")
    text = " ".join(said) or "a gradient is where the first small step goes, not where the points end."
    return text[:1].lower() + text[1:]


def alike_claim(like: Likeness, titles: Sequence[str]) -> str:
    """The most and the least alike."""
    i, j = np.triu_indices(len(titles), 1)
    values = like.cosines[i, j]
    if not np.isfinite(values).any():
        return "Cosines between gradients: it takes two losses that have one"
    most, least = int(np.nanargmax(values)), int(np.nanargmin(values))
    if most == least:
        return f"{titles[i[most]]} and {titles[j[most]]} have a cosine of {_signed(values[most])}"
    return (
        f"{titles[i[most]]} and {titles[j[most]]} agree ({_signed(values[most])}), {titles[i[least]]} and "
        f"{titles[j[least]]} least ({_signed(values[least])})"
    )


def flow_claim(found: Mapping[str, Flow]) -> str:
    """Who arrives."""
    arrive = sum(own.stalled is not None for own in found.values())
    perfect = sum(bool(own.map[-1] > 1 - 1e-9) for own in found.values())
    of = f"{len(found)} losses" if len(found) > 1 else "1 loss"
    return f"Follow the gradient: of {of} {arrive} stall within {_steps(found)} steps, {perfect} rank every point perfectly"


def flow_look_for(found: Mapping[str, Flow]) -> str:
    """Where flows stall too early."""
    early = [name for name, own in found.items() if own.stalled is not None and own.map[-1] < 1 - 1e-9]
    fro = [name for name, own in found.items() if own.to_and_fro]
    said = ["blue falling (a class gathers) and orange rising (classes part)."]
    if early:
        said.append(f"{_named(early)} stall{'s' if len(early) == 1 else ''} before every point is ranked right.")
    if fro:
        said.append(
            f"{_named(fro)} go{'es' if len(fro) == 1 else ''} to and fro: the step is longer than the way left."
        )
    return " ".join(said)


def flow_misleads(look: Look, found: Mapping[str, Flow], held: bool) -> str:
    """Why a value may rise, with numbers, and what a flow is not."""
    learnt = [name for name, loss in look.losses.items() if loss.learns]
    said = ["no net stands between the loss and the points, so each goes where it is sent."]
    if learnt:
        said.append(f"What is learnt ({_named(learnt)}) {'is held' if held else 'flows too, at the same rate'}.")
    rising = [name for name, own in found.items() if own.rises]
    said.append(
        f"The value rises now and then in {len(rising)} of {len(found)}: {_named(rising)}; why is told below."
        if rising
        else "Every value falls at every step."
    )
    return " ".join(said)


def rises(look: Look, found: Mapping[str, Flow], held: bool) -> list[str]:
    """For each loss whose value rises on the way, or whose gradient is not the value's, why and by how much."""
    said = []
    for name, own in found.items():
        loss = look.losses[name]
        if own.rises:
            said.append(
                f"**{TITLES[name]}** rises in {len(own.rises)} of {_steps(found)} steps, by up to {number(own.highest)}: "
                f"{own.why}."
            )
        elif loss.constant and not loss.learns and np.isfinite(share := agreement(loss, look.stood[name], held=held)):
            said.append(
                f"**{TITLES[name]}** falls, and yet not by the value's own gradient, as some of it is held constant: a small "
                f"first step lowers the value {number(share)} times as much as the value's own gradient would."
            )
    return said


def _steps(found: Mapping[str, Flow]) -> int:
    return len(next(iter(found.values())).value) - 1


def _named(names: Iterable[str]) -> str:
    titles = [TITLES[name] for name in names]
    if len(titles) > MOST:
        return f"{', '.join(titles[:MOST])} and {len(titles) - MOST} more"
    return ", ".join(titles)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
