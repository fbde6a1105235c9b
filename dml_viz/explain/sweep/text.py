"""The sentences of the Sweep page."""

from dml_viz.engine.recordings import MAY_DIFFER
from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import number, score
from dml_viz.room.decision import decision, hold
from dml_viz.training.effects import LEVEL

LOOK_FOR = {
    "knob": "lines that rise and fall together: there the knob does the same from every seed, and matters. Where lines are flat, "
    "or each goes its own way, it does little, or no more than chance.",
    "lines": "lines that lie on each other: the named knob does little. Where they cross, the value of one knob that "
    "leads depends on the other.",
    "grid": "rows or columns of one colour: there the other knob does little. Where the highest cell moves from row to row, "
    "the value of one knob that leads depends on the other.",
}
MISLEADS = (
    "which of many values leads is partly luck. A small net on small data says how far to trust a difference, not "
    "which value suits yours. Retrieval is scored on few images, the same for every run. Chance is taken for an effect in "
    f"{LEVEL:.0%} of sweeps, and about twice as often where values spread unequally over seeds, as learning rates do."
)
COURSE = "lines that still rise at the end: longer training may turn the order round."
CHANCE = "where the measured line lies: within the bars, chance does as much."


def verdict(model: Model) -> str:
    """The verdict on each knob, as Markdown."""
    if not model.effects:
        begins = model.waits and not model.finished_runs
        return model.why_incomplete + " *Sweep* trains each value from every seed, and the figure fills." * begins
    of_all = f" of {len(model.sweep.runs)}" if model.finished_runs < len(model.sweep.runs) else ""
    values, seeds = len(model.sweep.cells), len(model.complete_seeds)
    looked = f"{model.finished_runs}{of_all} runs, {values} values looked at, {seeds} seed{'s' * (seeds != 1)}"
    decided = [decision(effect, model.score_name) for effect in model.effects]
    if model.effects_with_other_rounding:
        pairs = zip(decided, model.effects, model.effects_with_other_rounding, strict=True)
        decided = [f"{sentence} {hold(effect, again)}" for sentence, effect, again in pairs]
    caution = "" if model.effects_with_other_rounding else f" {MAY_DIFFER}"
    return "\n\n".join([*decided, *_changes(model), f"*{looked}, {model.when}.{caution}*"])


def _changes(model: Model) -> list[str]:
    """The change of the score along each line, from the first value to the last, as a paragraph; empty without lines."""
    if not model.lines:
        return []
    first, *_, last = model.value_names(model.numbered_axis)
    ways = [(effect.title, *effect.lead_and_half_width(-1, 0)) for effect in model.lines]
    several = len(model.complete_seeds) > 1
    each = "; ".join(f"{title} {number(way, '+.3f')}{f' ± {score(half)}' * several}" for title, way, half in ways)
    marks = " Bands and ± are 95 % intervals, small marks are seeds." * several
    return [f"{model.score_name} from {first} to {last}: {each}.{marks}"]


def duration_in_words(seconds: float) -> str:
    """The duration of some seconds in words: "40 s", "4 minutes", "2.5 hours"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
