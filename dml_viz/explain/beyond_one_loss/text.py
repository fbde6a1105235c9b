"""The sentences on a model: the method, how near it is to its paper, and what its trained runs decide."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.engine.recordings import MAY_DIFFER
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_compared import gains, methods_with_unstable_verdicts
from dml_viz.explain.beyond_one_loss.model_training import OFFERED, SCORES, SEEDS, STEPS, Settings, survey_and_step_ms
from dml_viz.params import param_of, params
from dml_viz.plot.canvas import number, score
from dml_viz.room.decision import decision, hold
from dml_viz.room.markdown import cited
from dml_viz.room.words import FirstFigure
from dml_viz.training.effects import LEVEL
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import ONCE, Method
from dml_viz.training.methods.codes import Codes
from dml_viz.training.methods.divide import Divide
from dml_viz.training.methods.tree import Tree

MISLEADS = (
    "these are a few points that are moved themselves, without a net. Both pictures have one scale for arrows unless a line "
    "above the second one says otherwise."
)
TRAINED_MISLEADS = (
    "one small net, one small set of images and one learning rate. It says what the method does here, not which of two methods "
    "is better; the paper's gain may need its nets and its images."
)

EVEN = 1e-6  # of shares that are equal
# What a method of images does where there is neither a net nor an image, by the names of methods.
ON_POINTS: Mapping[str, str] = MappingProxyType(
    {
        "hdml": " Points have no features, so nothing is generated: synthetic negatives are used as they are pulled, and the "
        "plain loss does not count.",
        "teacher": " No teacher is trained on points: it has each of them half way to the mean of its class.",
    }
)
IDLE = " The loss alone moves no point of this scene; among *overlapping* classes it does."
NO_CATEGORIES = " Points have no categories, so these clusters are found by k-means."


def title_without_method(settings: Settings) -> str:
    """The title of the points under the loss alone."""
    replaced = ", which this method replaces" if settings.method.replaces_loss else ""
    return f"{settings.loss.name} alone{replaced}"


def claim(model: Model) -> str:
    """What the method does here, in a sentence."""
    method, kind = model.settings.method, type(model.settings.method)
    if isinstance(method, Tree) and method.keep == "nearest":
        return "Of a class, each point and its nearest one are positives: a long class may stay long"
    return str(kind.of_points or kind.sentence).rstrip(".")


def look_for(model: Model) -> str:
    """The differences between the two pictures, with numbers, and what the method lacks on points."""
    method = model.settings.method
    known = isinstance(method, Divide) and method.by == "categories"
    idle = not (model.plain_arrows_of_all.any() or model.under_method.arrows.any())
    return f"{_differences(model)}{NO_CATEGORIES if known else ON_POINTS.get(method.link_name, '')}{IDLE if idle else ''}"


def _differences(model: Model) -> str:
    """The differences between the two pictures, with numbers."""
    plain, side = model.method_rows_under_plain_loss, model.under_method
    moved = [int((each.arrows != 0).any(1).sum()) for each in (plain, side)]
    made = "" if model.dim > DRAWN_UP_TO else " A scene has no slices: in each its points are moved a little."
    if isinstance(model.settings.method, Codes):
        lost = float(np.square(np.diff(side.marks[0].at, axis=1)).sum(2).mean())
        bits = model.settings.method.bits(model.method_rows.shape[1])
        return (
            f"lines from points to codewords, which take their places in a search. A row becomes "
            f"{bits:.3g} {'bit' if bits == 1 else 'bits'}, and moves by {number(lost)} squared on average; "
            f"more steps seen shorten the lines.{made if len(model.slices) > 1 else ''}"
        )
    if len(model.slices) > 1:
        arrows = [side.arrows[:, columns] for columns in model.slices]
        trained = [slice_number for slice_number, each in enumerate(arrows, 1) if each.any()]
        which = "every slice" if len(trained) == len(arrows) else f"slice {', '.join(map(str, trained))}" if trained else "none"
        method, done = model.settings.method, model.settings.step / STEPS
        if isinstance(method, Divide) and done < method.joint and len(trained) == len(arrows):
            reached = f"*{param_of(method, 'together').label_text}* ({method.together:g}) is reached"
            why = reached if done >= method.together else "no cluster has two classes of two points"
            which += f": {why}, so the batch is drawn from the points of all clusters"
        return (
            f"arrows in the circles, one circle for each slice. This batch, {len(side.in_batch)} of {len(model.y)} points, "
            f"trains {which}.{made} The loss is {number(side.value)}, that of the whole rows {number(plain.value)}."
        )
    if model.draws_batches:
        before, with_method = model.mean_losses_over_draws
        return (
            f"which {len(side.in_batch)} of {len(model.y)} points are drawn: on this batch the loss is {number(side.value)} and "
            f"moves {moved[1]} points, on a plain one {number(plain.value)}, moving {moved[0]}. Over {STEPS} steps, each of "
            f"which draws another, it is {number(with_method)} on average, and {number(before)} with plain batches."
        )
    if model.moves_as_plain_loss:
        return "no difference: on these points the method moves every point as the plain loss does."
    return (
        f"arrows that differ from the other picture: {moved[0]} points are moved by the plain loss, {moved[1]} with the method, "
        f"at a loss of {number(plain.value)} and {number(side.value)}."
    )


def claim_on_learnt_sampling(model: Model) -> str:
    """The claim on the classes that a learnt sampler draws together most and least."""
    assert model.learnt_class_sampling is not None
    shares, active = (table[np.isfinite(model.learnt_class_sampling.active)] for table in model.learnt_class_sampling)
    if np.ptp(shares) < EVEN:
        return "No class is drawn with another more often than the rest yet"
    most, least = int(shares.argmax()), int(shares.argmin())
    return (
        f"The classes drawn together most, in {shares[most]:.0%} of cases, have {active[most]:.0%} of their triplets "
        f"within the margin; those drawn least, in {shares[least]:.0%}, have {active[least]:.0%}"
    )


def source(model: Model) -> str:
    """The paper and how near the method is to it."""
    kind = type(model.settings.method)
    sentence = f"**{kind.title}**: {cited(kind.reference)}. **Here:** {kind.faithful}."
    return f"{sentence} {cost(kind)}" if 0 < kind.every < ONCE else sentence


def cost(kind: type[Method]) -> str:
    """The time that the surveys of a method take, beside that of its steps."""
    survey, step = survey_and_step_ms(kind)
    share = survey / (survey + kind.every * step)
    return (
        f"**Measured on this server, with its defaults:** a look at all training images takes {survey:.3g} ms, a step "
        f"{step:.2g} ms. One look every {kind.every} steps takes {100 * share:.0f} % of the time."
    )


def shared_setup(settings: Settings) -> str:
    """The data set, net, dimensions, loss and steps that the compared runs share, in words."""
    run = settings.run
    noise = f", {100 * run.label_noise:.0f} % of the labels wrong" if run.label_noise else ""
    loss = "" if settings.method.replaces_loss else f"{settings.loss.name}, "
    return f"{type(run.dataset).title}, {type(run.net).title}, {run.dim} dimensions, {loss}{run.steps} steps{noise}"


def sides_compared(settings: Settings) -> str:
    """What is compared with what, for captions."""
    knobs = ", ".join(f"{knob.name} = {getattr(settings.method, knob.name)}" for knob in params(settings.method))
    return f"{settings.baseline_name} against {type(settings.method).title}{f' ({knobs})' if knobs else ''}"


def runs_compared(settings: Settings) -> str:
    """What the charts of trained runs show, for captions."""
    return f"{sides_compared(settings)}; {shared_setup(settings)}; seeds 0 to {SEEDS - 1}, unseen classes"


def decided(model: Model, name: str) -> str:
    """The verdict on the method by the score ``name``, in Markdown, with the means, and whether it holds elsewhere."""
    effect, again = model.comparison.effects[name], model.comparison.effects_with_other_rounding
    before, with_method = map(score, effect.means.tolist())
    return (
        f"{decision(effect, SCORES[name], 'this comparison')} Means: {before} for {model.settings.baseline_name}, "
        f"{with_method} with the method. {hold(effect, again[name]) if again else MAY_DIFFER}"
    )


def verdict(model: Model) -> str:
    """The verdict on the method by each score, a paragraph each, as Markdown."""
    comparison = model.comparison
    if not comparison.effects:
        return f"{comparison.recorded_in_words} Train one pair of them below, or all on Sweep."
    each = [decided(model, name) for name in comparison.effects]
    return "\n\n".join([*each, f"*{shared_setup(model.settings)}; {SEEDS} seeds, unseen classes.*"])


def claim_on_ways(model: Model) -> str:
    """The claim on the ways to search, with their scores."""
    searches = model.comparison.ways
    if searches[0].bits:
        most = max(searches, key=lambda way: (way.name == "codes", way.bits))
        whole = next(way for way in searches if way.name != "codes" and way.bits == most.bits and way.words == most.words)
        by_codes, by_rows = (float(way.scores[:, 0].mean()) for way in (most, whole))
        return f"{most.bits:.0f} bits for a row keep {100 * by_codes / by_rows:.0f} % of its mAP"
    means = [float(way.scores[:, 1].mean()) for way in searches]
    best = max(range(1, len(searches)), key=means.__getitem__)
    return f"Alone, the best slice ({searches[best].name}) has R@1 {score(means[best])}, whole rows {score(means[0])}"


def look_at_ways(model: Model) -> str:
    """What to look for in the ways to search."""
    if model.comparison.ways[0].bits:
        return (
            "the way from the codes up to the dashes, which is what is lost. Queries are whole rows, and what they search is "
            "coded. Rows of one code come in any order, and R@1 is the mean over these orders."
        )
    return "slices as good as whole rows: then a fraction of the numbers is enough."


def gains_in_words() -> str:
    """A sentence on how many methods score higher than without them, and how many lower, by more than chance."""
    better, worse = ({gain.method for gain in gains() if gain.matters and sign * gain.by > 0} for sign in (1, -1))
    near = len(methods_with_unstable_verdicts())
    names = ", ".join(str(METHODS[name].title) for name in OFFERED if name in better) or "none"
    return (
        f"**Of {len(OFFERED)} methods here, {len(better)} scored higher than without it by more than chance ({names}), "
        f"{len(worse)} lower, by mAP or by R@1, and the other {len(OFFERED) - len(better | worse)} no different.** For {near} of "
        f"the {len(OFFERED)} that is close: another processor may turn it. The page opens on the method that gained the most mAP."
    )


def comparison_count(model: Model) -> str:
    """A sentence on the number of comparisons on the page, and how many of them chance alone makes significant."""
    every = gains()
    count, matter = len(every), sum(gain.matters for gain in every)
    least, level = (100 * share for share in (model.comparison.effects["map"].least_p, LEVEL))
    return (
        f"{len(OFFERED)} methods and {len(SCORES)} scores make {count} comparisons, {matter} of which matter at "
        f"{number(level)}\N{NO-BREAK SPACE}%. If no method did anything, about {number(count * LEVEL, '.2g')} would. "
        f"Corrected for their number, each would have to stay below {number(level / count, '.2g')}\N{NO-BREAK SPACE}%; {SEEDS} "
        f"seeds cannot give less than {number(least, '.2g')}\N{NO-BREAK SPACE}%."
    )


FIRST = FirstFigure(
    title_without_method,
    "",
    MISLEADS,
    (),
    lambda model, _: f"{len(model.under_plain_loss.in_batch)} of them are in the plain batch." if model.draws_batches else "",
    "{size} points in {dim} dimensions.",
)
