"""The sentences on a model: the method, how near it is to its paper, and what its trained runs decide."""

from dml_viz.app.decision import decision
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_training import SEEDS, Settings, milliseconds
from dml_viz.plot.numbers import number, score
from dml_viz.training.methods._base import ONCE, Method

MISLEADS = (
    "these are a few points that are moved themselves, without a net. Both pictures have one scale for arrows unless a line "
    "above the second one says otherwise."
)
TRAINED_MISLEADS = (
    "one small net, one small set of images and one learning rate. It says what the method does here, not which of two methods "
    "is better; the paper's gain may need its nets and its images."
)


def title(settings: Settings) -> str:
    """The name of the method."""
    return str(type(settings.method).title)


def claim(model: Model) -> str:
    """What the method does here, in a sentence."""
    return str(type(model.settings.method).sentence).rstrip(".")


def look_for(model: Model) -> str:
    """The differences between the two pictures, with numbers."""
    plain, side = model.plain, model.side
    moved = [int((each.arrows != 0).any(1).sum()) for each in (plain, side)]
    if model.draws:
        return (
            f"which {len(side.drawn)} of {len(model.y)} points are drawn: on this batch the loss is {number(side.value)} and "
            f"moves {moved[1]} points, on a plain one {number(plain.value)}, moving {moved[0]}. More steps seen draw another."
        )
    if model.unchanged:
        return "no difference: on these points the method moves every point as the plain loss does."
    return (
        f"arrows that differ from the other picture: {moved[0]} points are moved by the plain loss, {moved[1]} with the method, "
        f"at a loss of {number(plain.value)} and {number(side.value)}."
    )


def source(model: Model) -> str:
    """The paper and how near the method is to it."""
    kind = type(model.settings.method)
    sentence = f"**{kind.title}**: {kind.reference}. **Here:** {kind.faithful}."
    return f"{sentence} {cost(kind)}" if 0 < kind.every < ONCE else sentence


def cost(kind: type[Method]) -> str:
    """The time that the surveys of a method take, beside that of its steps."""
    survey, step = milliseconds(kind)
    share = survey / (survey + kind.every * step)
    return (
        f"**Measured on this server, with its defaults:** a look at all training images takes {survey:.3g} ms, a step "
        f"{step:.2g} ms. One look every {kind.every} steps takes {100 * share:.0f} % of the time."
    )


def start(settings: Settings) -> str:
    """What the compared runs have in common."""
    run = settings.run
    noise = f", {100 * run.label_noise:.0f} % of the labels wrong" if run.label_noise else ""
    trained = f"{settings.loss.name}, {run.steps} steps{noise}"
    return f"{type(run.dataset).title}, {type(run.net).title}, {run.dim} dimensions, {trained}"


def verdict(model: Model) -> str:
    """The sentence that decides, as Markdown."""
    if model.effect is None:
        return "These settings are not recorded. Train them below, or from several seeds on Sweep."
    plain, own = map(score, model.effect.means.tolist())
    return (
        f"{decision(model.effect, model.called, 'this comparison')} Plain runs have a mean of {plain}, those with it {own}.\n\n"
        f"*{start(model.settings)}; {SEEDS} seeds, unseen classes.*"
    )
