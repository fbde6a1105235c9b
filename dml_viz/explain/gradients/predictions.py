"""The predictions that the page of gradients asks for."""

import numpy as np

from dml_viz.explain.gradients.controls import EIGHT, KEY
from dml_viz.explain.gradients.model import STEPS, Model
from dml_viz.explain.gradients.model_flow import PERFECT
from dml_viz.room.carried import STRAY, carries
from dml_viz.room.prediction import Choices, Mark, Prediction

FIVE = ("angular", "fastap", "proxy_anchor", "proxy_nca", "triplet")
SCENE = f"{KEY}.scene"
HARD, APART = "one hard negative", "separated"
HOME = "a70_84_98_112b215_230_242_254c325_338_350"  # the same scene with the point in its own class
SEEN = 1e-3  # of the longest arrow of a loss
PANELS, FLOW = f"{KEY}-panels", f"{KEY}-flow"


def _shares(model: Model) -> dict[str, float]:
    """The share of point `STRAY` in the summed arrow lengths of each loss."""
    return {
        name: float(response.tangent_lengths[STRAY] / response.tangent_lengths.sum())
        for name, response in model.responses.items()
    }


def _longest_say(before: Model, after: Model) -> str:
    shares = sorted(_shares(before).items(), key=lambda item: -item[1])
    return "Its share of all arrows of a loss: " + ", ".join(f"{before.titles[name]} {share:.0%}" for name, share in shares) + "."


def _pushing(model: Model) -> list[str]:
    """The losses whose arrow at point `STRAY` can be seen beside their longest."""
    responses = model.responses.items()
    return [model.titles[name] for name, each in responses if each.tangent_lengths[STRAY] > SEEN * each.tangent_lengths.max()]


def _moving(model: Model) -> list[str]:
    return [model.titles[name] for name, response in model.responses.items() if response.tangent_lengths.any()]


def _listed(names: list[str], total: int) -> str:
    return f"{len(names)} of {total}: {', '.join(names)}." if names else f"None of {total}."


def _ranked(model: Model) -> int:
    """The first step at which every point is ranked right; the last where there is none."""
    (flow,) = model.flows.values()
    right = flow.map > PERFECT
    return int(right.argmax()) if right.any() else STEPS


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        "gradients.home",
        "Who still pushes a point that is home?",
        f"Point {STRAY} of class B lies among class A. It is dragged home, to 215°, among its own class. How many of the eight "
        "losses still push it? Count a push if its arrow is at least 1/1000 of that loss's longest.",
        Mark("Losses that still push it", 0, len(EIGHT), 1),
        lambda before, after: len(_pushing(after)),
        lambda before, after: f"{_listed(_pushing(after), len(after.losses))} Before it was dragged: {len(_pushing(before))}.",
        {SCENE: HARD},
        {f"{KEY}.at": HOME},
    ),
    carries(KEY, lambda model: model.losses["triplet"], (KEY, PANELS, FLOW), {f"{KEY}.losses": "triplet"}),
    Prediction(
        "gradients.longest",
        "Pick the panel: who pushes hardest?",
        f"Point {STRAY} lies among another class. In which panel has it the largest share of all arrows?",
        lambda model: Choices(tuple(model.titles.values()), panels=True),
        lambda before, after: int(np.argmax(list(_shares(before).values()))),
        _longest_say,
        {SCENE: HARD, f"{KEY}.losses": ".".join(FIVE)},
        hides=(PANELS, FLOW, f"{KEY}-cosines"),
    ),
    Prediction(
        "gradients.apart",
        "Classes far apart: who is done?",
        "Three tight classes, far apart, take the place of this scene. How many of the eight losses still move a point?",
        Mark("Losses that move a point", 0, len(EIGHT), 1),
        lambda before, after: len(_moving(after)),
        lambda before, after: f"{_listed(_moving(after), len(after.losses))} The others have no gradient here.",
        {SCENE: HARD},
        {SCENE: APART},
    ),
    Prediction(
        "gradients.step",
        "Mark the step: when is all ranked right?",
        "The points follow Proxy-NCA. At which step is every point ranked right for the first time?",
        Mark("Step", 0, STEPS, 5),
        lambda before, after: _ranked(before),
        lambda before, after: f"At step {_ranked(before)} of {STEPS}.",
        {SCENE: HARD, f"{KEY}.losses": "proxy_nca"},
        hides=(FLOW,),
    ),
)
