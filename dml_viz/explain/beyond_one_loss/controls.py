"""The controls of the page: a method with its knobs, the loss trained with it, and the number of steps."""

from dml_viz.explain.beyond_one_loss.model_training import OFFERED, SCORES, STEPS, Settings, losses_for, plain_run_for
from dml_viz.losses import LOSSES
from dml_viz.params import Param
from dml_viz.registry import name_of
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject, choose_projection
from dml_viz.training.methods import METHODS
from dml_viz.training.paths import with_training_defaults

KEY = "beyond"


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings."""
    titles = {name: METHODS[name].title for name in OFFERED}
    name = ask.choice("method", "Method", OFFERED, OFFERED[0], named=titles, menu=True)
    method = ask.knobs(METHODS[name], f"method.{name}")
    losses = losses_for(method)
    usual = name_of(plain_run_for(method).loss)
    if method.replaces_loss:
        ask.setting(f"{KEY}.loss", Param(f"{KEY}.loss", usual, "", "", choices=losses))
        ask.remark("There is no choice of a loss: this method replaces it.")
        loss = usual
    else:
        ask.follow_default(f"{KEY}.loss", usual)
        titles = {each: LOSSES[each].title for each in losses}
        note = "The loss that the method goes with, at its knobs for training."
        loss = ask.choice(f"{KEY}.loss", "Loss", losses, usual, named=titles, menu=True, note=note)
    note = "For how many steps the method has seen these points as they are. It draws anew at each."
    step = ask.number(f"{KEY}.step", "Steps seen", 0, STEPS, STEPS // 10, note=note)
    ask.setting(f"{KEY}.score", Param(f"{KEY}.score", "map", "", "", choices=tuple(SCORES)))  # links had one; both are shown
    return Settings(method, with_training_defaults(LOSSES[loss]), step, choose_projection(ask))
