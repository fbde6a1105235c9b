"""What the pitfalls of Ranked List come to on the points of the page."""

from __future__ import annotations

import math

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.explain.ranked_list.model import Model, balls


def here(model: Model) -> dict[str, str]:
    """Sentences on the page's points by the name of the pitfall."""
    loss, size = model.settings.loss, len(model.y)
    wide = int(balls(model.z, model.y, 2 * (loss.alpha - loss.margin)).outside.sum())
    query, *others = model.of_loss.values()
    both, everything = (ratio_and_cosine(other, query) for other in others)
    free = int((model.pull + loss.lam * model.push == 0).sum())
    d = model.d[model.settings.query, model.y[model.settings.query] != model.y]
    mined, of_squares = int((d < loss.alpha).sum()), int((d**2 < loss.alpha).sum())
    return {
        "ranked_list.diameter": f"{int(model.balls.outside.sum())} of {size} are outside their class's ball of that diameter, "
        f"{wide} outside one of that radius, while {int(model.too_far.sum()) // 2} of {int(model.positive.sum()) // 2} positive "
        "pairs cost something",
        "ranked_list.ends": "the gradient is 0 each time"
        if math.isnan(both[0])
        else f"{both[0]:.2f} times, cosine {both[1]:.3f}; {everything[0]:.2f} times, cosine {everything[1]:.3f}",
        "ranked_list.mean": f"the sum is N = {size} times the mean, and {free} of the {size} queries cost nothing",
        "ranked_list.unsquared": f"α = {loss.alpha:g} on d mines {mined} of the query's {len(d)} negatives, on d² it would "
        f"mine {of_squares}",
    }
