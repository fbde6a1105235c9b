"""What the page of gradients says of its panels and of how alike they are, with their numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dml_viz.explain.gradients.figures._panel import number
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_panels import AMBIENT
from dml_viz.explain.gradients.model_scaling import RAW, cut

MOST = 3  # losses that are named, of more
WHOLE, COUNTED = 100, 1e6  # factors between are written as counts are


def arrows_claim(model: Model) -> str:
    """What the panels show."""
    norms = {name: found.norm for name, found in model.responses.items() if found.norm > 0}
    many = len(model.responses)
    if many == 1:
        return (
            f"Where {named(model.responses, model)} sends each point"
            if norms
            else f"{named(model.responses, model)} moves no point"
        )
    if not norms:
        return f"None of {many} losses moves a point"
    if len(norms) == 1:
        return f"Of {many} losses {named(norms, model)} alone moves points"
    return f"The same points, {many} losses: gradients differ by a factor of {factor(max(norms.values()) / min(norms.values()))}"


def arrows_look_for(model: Model) -> str:
    """Who is moved, of the picked point and of all."""
    picked = min(model.settings.query, len(model.y) - 1)
    responses = model.responses
    if not any(found.lengths.any() for found in responses.values()):
        return "an arrow: there is none. No point has a gradient here, so that no small step changes a value."
    if len(responses) == 1:
        ((name, found),) = responses.items()
        own = (
            f"{model.titles[name]} moves: point at it to see the pairs that make its arrow"
            if found.lengths[picked]
            else f"{model.titles[name]} leaves where it is"
        )
        moved, of = found.active_points
        return f"point #{picked}, which {own}. In all, {moved} of {of} points {one(moved, 'is', 'are')} moved."
    left = [name for name, found in responses.items() if not found.lengths[picked]]
    shares = {name: found.active_points[0] / found.active_points[1] for name, found in responses.items()}
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    none = (
        f"{len(left)} of {len(responses)} losses {one(len(left), 'leaves', 'leave')} it where it is ({named(left, model)})"
        if left
        else f"{one(len(responses) - 1, 'both', f'all {len(responses)}')} losses move it"
    )
    some = (
        f"{model.titles[most]} moves {shares[most]:.0%} of the points, {model.titles[least]} {shares[least]:.0%}."
        if shares[most] > shares[least]
        else f"Every loss here moves {shares[most]:.0%} of the points."
    )
    pairs = " Point at it to see the pairs that make its arrows." if len(left) < len(responses) else ""
    return f"point #{picked}: {none}. {some}{pairs}"


def arrows_mislead(model: Model) -> str:
    """What the drawing hides."""
    points, panels, factors = model.points, model.panels, model.factors
    scale, part = model.settings.scale, model.settings.part
    norms = {panel.title: panel.norm for panel in panels if panel.norm > 0}
    if not norms:
        value = number(max(found.value for found in model.responses.values()))
        return f"no gradient does not mean that nothing is left to gain: the largest value is {value}."
    sentences = []
    if len(norms) > 1:
        most, least = max(norms, key=norms.__getitem__), min(norms, key=norms.__getitem__)
        times = f"{most}'s gradient is {factor(norms[most] / norms[least])} times as long as {least}'s"
        sentences.append(
            f"one factor draws all arrows, so that a small gradient cannot be seen: {times}."
            if scale == RAW
            else f"each loss has a ruler of its own: its mean arrow is equally long everywhere, but {times}."
        )
    long = sum(int(cut(panel.lengths, times).sum()) for panel, times in zip(panels, factors, strict=True))
    if long:
        sentences.append(f"{long} {one(long, 'arrow is', 'arrows are')} longer than drawn, and dashed.")
    if part == AMBIENT:
        sentences.append(
            "The radial part is that of inner products; written in distances the same loss has another one, and a net that "
            "normalises its rows feels neither."
        )
    elif model.z.shape[1] == 2:
        sentences.append("Arrows along the circle are drawn further in, where they do not cover each other.")
    shown = [f"{panel.shown:.0%}" for panel in sorted(panels, key=lambda panel: panel.shown) if panel.shown < 0.9995]
    if shown:
        span = shown[0] if shown[0] == shown[-1] else f"{shown[0]} to {shown[-1]}"
        sentences.append(f"The plane shows {span} of a loss's gradient; the rest points out of it.")
    if points.zoom > 1:
        sentences.append(
            f"Places are drawn {points.zoom:g} times as far apart as they lie in it, and the sphere's edge is left out."
        )
    raw = [name for name, loss in model.losses.items() if not loss.unit]
    if raw:
        sentences.append(f"{named(raw, model)}: rows are raw there, of length 1 for this picture.")
    views = [name for name, loss in model.losses.items() if loss.views]
    if views:
        sentences.append(f"{named(views, model)}: every class plays the part of one image.")
    text = " ".join(sentences) or "a gradient is where the first small step goes, not where the points end."
    return text[:1].lower() + text[1:]


def alike_claim(model: Model) -> str:
    """The most and the least alike."""
    like, names = model.likeness, list(model.titles.values())
    titles = [names[k] for k in like.order]
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


def alike_lacks(model: Model) -> str:
    """Why there is no table of cosines; "" where at least two losses have a gradient."""
    with_one = [name for name, found in model.responses.items() if found.lengths.any()]
    if len(with_one) > 1:
        return ""
    if len(model.responses) > 1:
        return f"{arrows_claim(model)}, so there is no second gradient to compare with. Move the points, or take other losses."
    why = "" if with_one else ", and this one has no gradient here"
    return f"Only {named(model.responses, model)} is chosen{why}. Take other losses under “Losses” to compare their gradients."


def named(names: Iterable[str], model: Model) -> str:
    """Losses of ``model`` by their titles, the first few of many."""
    titles = [model.titles[name] for name in names]
    if len(titles) > MOST:
        return f"{', '.join(titles[:MOST])} and {len(titles) - MOST} more"
    return ", ".join(titles)


def one(count: int, single: str, several: str) -> str:
    """The words for ``count`` things."""
    return single if count == 1 else several


def factor(value: float) -> str:
    """A factor, a large one with its thousands set apart."""
    return f"{value:,.0f}" if WHOLE <= value < COUNTED else number(value)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
