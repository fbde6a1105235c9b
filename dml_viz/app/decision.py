"""The sentence that says whether a knob, or a method, matters. No Streamlit here."""

from dml_viz.plot.numbers import number, score
from dml_viz.training.effects import Effect
from dml_viz.training.paths import write_value


def decision(effect: Effect, called: str, of: str = "this sweep") -> str:
    """A sentence in Markdown on ``effect`` on the score named ``called``; ``of`` names the runs that show it or not."""
    knob = effect.title.rpartition(": ")[2]
    moved = f"**The choice of {knob} moves {called} by {score(effect.moves)}, that of the seed by {score(effect.seed_moves)}.**"
    if effect.unsure:
        return f"{moved} So few seeds cannot tell an effect from chance: take more."
    share = number(100 * effect.p, ".2g" if effect.p < 0.995 else ".0f")
    chance = f"Shuffled within each seed, values differ by as much in {share}\N{NO-BREAK SPACE}% of cases"
    if not effect.matters:
        return f"{moved} {chance}: {of} shows **no effect**."
    best = effect.best
    if best is None:
        return f"{moved} {chance}: it matters. No value is certain to beat its neighbours."
    against = "both neighbours" if effect.ordered and 0 < best < len(effect.values) - 1 else "its neighbour"
    if not effect.ordered:
        against = "all others" if len(effect.values) > 2 else "the other"
    return f"{moved} {chance}: it matters. Best: **{write_value(effect.values[best])}**, ahead of {against} from seed to seed."
