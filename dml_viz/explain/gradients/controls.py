"""The choice of the losses side by side, and the knobs of one of them at a time."""

from dataclasses import dataclass
from typing import Any

from dml_viz.explain.gradients.model import STEPS, Settings
from dml_viz.explain.gradients.model_inputs import BATCHES
from dml_viz.explain.gradients.model_panels import SCALES
from dml_viz.losses import KNOWN, LOSSES, Loss
from dml_viz.params import Domain, Param, params
from dml_viz.room.ask import Ask, ReadSetting
from dml_viz.room.scene_settings import SIDE
from dml_viz.room.source import Subject

KEY = "gradients"
EIGHT = ("triplet", "fastap", "ranked_list", "angular", "proxy_nca", "proxy_anchor", "multi_similarity", "circle")
ALL, NONE = "all", "none"
LONGEST_ARROW = 20  # characters of an unknown name that a message repeats
TITLES = {name: kind.title for name, kind in KNOWN.items()}
NAMES = tuple(sorted(LOSSES, key=lambda name: TITLES[name].lower()))


def sort_losses(names: tuple[str, ...]) -> tuple[str, ...]:
    """Sort names: the eight first ones in their order, then all others by title, last the visitor's own loss."""
    own = (name for name in KNOWN if name not in LOSSES)
    return tuple(name for name in (*EIGHT, *(name for name in NAMES if name not in EIGHT), *own) if name in names)


@dataclass(frozen=True)
class Names(ReadSetting):
    """Losses in a link: their names with dots between, "all" of them, or "none"."""

    default: str = ".".join(EIGHT)

    @property
    def options(self) -> tuple[str, ...]:
        """All losses but a visitor's own, in the order in which they are drawn."""
        return sort_losses(NAMES)

    def names(self, text: str) -> tuple[str, ...]:
        """The names that a link writes as ``text``, in the order in which they are drawn."""
        return sort_losses(NAMES if text == ALL else () if text == NONE else tuple(text.split(".")))

    def write(self, names: tuple[str, ...]) -> str:
        """Write names for a link, each once and in the order in which they are drawn."""
        return ALL if set(names) == set(LOSSES) else ".".join(sort_losses(names)) or NONE

    def read(self, text: str) -> str:
        """The names as `write` writes them; ValueError, with the unknown name, for anything else."""
        names = {ALL: NAMES, NONE: ()}.get(text, tuple(filter(None, text.split("."))))
        if unknown := [name for name in names if name not in KNOWN]:
            raise ValueError(f"loss {unknown[0][:LONGEST_ARROW]!r} is not known; choose from {', '.join(KNOWN)}")
        return self.write(names)

    def error_for(self, value: Any) -> str | None:
        """What is wrong with ``value``: an unknown loss, or the order."""
        wrong = super().error_for(str(value))
        return wrong or (None if self.read(str(value)) == value else f"losses {value!r} are not in their own order")


SOME = Names()
SETS = {"All": NAMES, "The eight": EIGHT, "None": ()}
# The switches above the panels, by name: label, options and note.
SWITCHES = {
    "scale": (
        "Length",
        SCALES,
        "Each loss by its own mean over the points that it moves, or all by one factor. Directions stay.",
    ),
    "part": (
        "Part",
        ("tangent", "ambient"),
        "The part along the sphere, which a net that normalises feels, or all of it, with its radial share.",
    ),
    "draw": (
        "Draw",
        ("per point", "per pair", "one point"),
        "An arrow for each point, the heaviest pairs (pull solid, push dashed), or one point's arrow and its pairs.",
    ),
}
LEARNT = ("flow", "held")
FLOWING = Param("learnt", LEARNT[0], "", "what a loss has learnt", choices=LEARNT)
QUERY = Param("query", 0, "", "point", domain=Domain(0, 499, False, False))
STEP = Param("step", 0, "", "step along the gradient", domain=Domain(0, STEPS, False, False))
TURNS, AROUND = "by how much a loss turns the points that it moves in its first step, on average", Domain.parse("[0.001, 0.5]")
STRIDE = Param("stride", 0.05, "", TURNS, "rad", domain=AROUND, slider=(0.002, 0.2), log=True, label="first step")
PAPER = Param("paper", False, "", "all panels in one figure, two columns of a paper wide", label="As one figure, for a paper")


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings: the losses, how they are drawn, and one loss's knobs at a time."""
    with ask.bar():
        names = SOME.names(ask.several(f"{KEY}.losses", "Losses", SOME, SETS, TITLES))
        drawn: dict[str, Any] = {
            name: ask.choice(f"{KEY}.{name}", label, options, options[0], note=note)
            for name, (label, options, note) in SWITCHES.items()
        }
        batch = BATCHES[-1]
        if subject.of_run:
            note = "How many of the points the losses see, of each class as many as of any other."
            batch = ask.choice(f"{KEY}.batch", "Batch", BATCHES, "128", note=note)
    losses: list[Loss] = []
    turned = ""
    if names:
        turned = ask.choice(f"{KEY}.loss", "Knobs of", names, names[0], named=TITLES, menu=True)
        losses = [ask.knobs(KNOWN[name], f"loss.{name}", draw=name == turned) for name in names]
        if not params(KNOWN[turned]):
            ask.remark(f"{TITLES[turned]} has no knobs.")
    view, query = SIDE.default, 0
    if subject.of_run:
        view, query = ask.setting(f"{KEY}.view", SIDE), ask.setting(f"{KEY}.query", QUERY)
    flow = {knob.name: ask.setting(f"{KEY}.{knob.name}", knob) for knob in (STRIDE, STEP, PAPER)}
    fixed = ask.setting(f"{KEY}.learnt", FLOWING) == LEARNT[1]
    return Settings(tuple(losses), query=query, view=view, batch=batch, turned=turned, learnt_fixed=fixed, **drawn, **flow)
