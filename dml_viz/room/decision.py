"""The sentence that says whether a knob, or a method, matters. No Streamlit here."""

import numpy as np

from dml_viz.plot.canvas import number, score
from dml_viz.training.effects import LEVEL, Effect
from dml_viz.training.paths import write_value

# Within this factor of LEVEL a share is close to it: between two processors one moved from 20 % to 0.7 %.
NEAR = 5


def hold(effect: Effect, again: Effect) -> str:
    """A sentence in Markdown on whether the verdict on ``effect`` is that of the same runs ``again``, rounded otherwise."""
    apart = float(np.abs(effect.by_block - again.by_block).max())
    moved = f"Trained again from weights changed in their last bit, as processors differ, runs end up to {score(apart)} apart"
    if len(effect.by_block) < 2:
        return f"{moved}."
    if _alike(effect, again):
        but = ", but close: another processor may turn it" if is_fragile(effect, again) else ""
        return f"{moved}. The verdict is the same{but}."
    if effect.matters and again.matters:
        return f"{moved}. **The verdict turns:** another value leads then. Do not rely on it."
    other = "it matters" if again.matters else "no effect"
    as_much = f"{share_of_shuffles(again)} of shuffles differ by as much then"
    return f"{moved}. **The verdict turns:** {as_much}, so {other}. Do not rely on it."


def is_fragile(effect: Effect, again: Effect) -> bool:
    """Whether another processor may turn the verdict on ``effect``: it turned in the runs ``again``, or is near `LEVEL`."""
    return not _alike(effect, again) or any(LEVEL / NEAR < each.p < LEVEL * NEAR for each in (effect, again))


def _alike(effect: Effect, again: Effect) -> bool:
    """Whether the verdict on both is the same."""
    return effect.matters == again.matters and (not effect.matters or effect.means.argmax() == again.means.argmax())


def share_of_shuffles(effect: Effect) -> str:
    """The share of shuffles in which values differ by as much, in percent."""
    share = number(100 * effect.p, ".2g" if effect.p < 0.995 else ".0f")
    return f"{share}\N{NO-BREAK SPACE}%"


def decision(effect: Effect, called: str, of: str = "this sweep") -> str:
    """A sentence in Markdown on ``effect`` on the score named ``called``; ``of`` names the runs that show it or not."""
    knob = effect.title.rpartition(": ")[2]
    by, by_seed = score(effect.difference), score(effect.seed_difference)
    if len(effect.by_block) < 2:
        return f"**The choice of {knob} moves {called} by {by}.** One seed cannot tell an effect from chance: take more."
    moved = f"**The choice of {knob} moves {called} by {by}, that of the seed by {by_seed}.**"
    if effect.least_p >= LEVEL:
        return f"{moved} So few seeds cannot tell an effect from chance: take more."
    chance = (
        f"If the values are shuffled within {effect.shuffled_within}, a difference as large comes up in "
        f"{share_of_shuffles(effect)} of cases"
    )
    if effect.has_too_few_seeds:
        return f"{moved} {chance}: these seeds cannot tell the effect from chance. Take more."
    if not effect.matters:
        return f"{moved} {chance}: {of} shows **no effect**."
    best = effect.best
    if best is None:
        return f"{moved} {chance}: it matters. No value is clearly ahead of those next to it."
    against = "both neighbours" if effect.ordered and 0 < best < len(effect.values) - 1 else "its neighbour"
    if not effect.ordered:
        against = "all others" if len(effect.values) > 2 else "the other"
    ahead = f"**{write_value(effect.values[best])}**, ahead of {against} on average, paired by seed."
    return f"{moved} {chance}: it matters. {'Best' if effect.quality else 'Highest'}: {ahead}"
