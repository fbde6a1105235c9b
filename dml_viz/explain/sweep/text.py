"""What the Sweep page says of its model."""

from dml_viz.explain.sweep.model import Effect, Model
from dml_viz.plot.numbers import number, score
from dml_viz.training.paths import write_value

LOOK_FOR = (
    "lines that rise and fall together: those differ by their seed, and the knob does little. Where every line has "
    "its best at the same value, the knob matters."
)
MISLEADS = (
    "the best of many values is partly luck, whichever it is. A small net on small data says how "
    "far to trust a difference, not which value suits yours. Retrieval is scored on few images, the same for every run."
)
COURSE = "lines that still rise at the end: longer training may turn the order round."
CHANCE = "where the measured line lies: within the bars, chance does as much."


def verdict(model: Model) -> str:
    """The sentence that decides, of each knob, as Markdown."""
    if not model.effects:
        return "No seed has all of its runs yet."
    runs = (
        f"{model.done} of {len(model.sweep.runs)} runs" if model.done < len(model.sweep.runs) else f"{model.done} runs"
    )
    looked = f"{runs}, {len(model.sweep.cells)} values looked at, {len(model.full)} {_seeds(len(model.full))}"
    return "\n\n".join([*(_of_one(model, effect) for effect in model.effects), f"*{looked}, step {model.step:,}.*"])


def _of_one(model: Model, effect: Effect) -> str:
    moved = f"**{effect.title} moves {model.called} by {score(effect.moves)}, the seed by {score(effect.seed_moves)}.**"
    if effect.unsure:
        return f"{moved} So few seeds cannot tell an effect from chance: take more."
    share = number(100 * effect.p, ".2g")
    chance = f"Shuffled within each seed, values differ by as much in {share} % of cases"
    if not effect.matters:
        return f"{moved} {chance}: this sweep shows **no effect**."
    best = effect.best
    if best is None:
        return f"{moved} {chance}: it matters. No value is certain to beat its neighbours."
    against = "both neighbours" if effect.ordered and 0 < best < len(effect.values) - 1 else "its neighbour"
    against = against if effect.ordered else "all others"
    return f"{moved} {chance}: it matters. Best: **{write_value(effect.values[best])}**, ahead of {against} from seed to seed."


def _seeds(count: int) -> str:
    return "seed" if count == 1 else "seeds"


def words(seconds: float) -> str:
    """Seconds in words: "40 s", "4 minutes", "2.5 hours"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
