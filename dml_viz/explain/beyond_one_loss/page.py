"""The article of the page Beyond one loss: its sections, in their order."""

from urllib.parse import urlencode

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.article import Drawing, Row, Section
from dml_viz.app.component_loader import withheld
from dml_viz.app.explainer import Explainer
from dml_viz.app.live_page import session_of, train
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.explain.beyond_one_loss import ROOM
from dml_viz.explain.beyond_one_loss import text as say
from dml_viz.explain.beyond_one_loss.model_training import SEEDS, Settings
from dml_viz.room.ask import KEY, TRAIN
from dml_viz.room.room import figure_name
from dml_viz.room.run_form import run_link
from dml_viz.room.source import MAP_MISLEADS


def draw_training(drawing: Drawing) -> None:
    """Draw the button that trains both runs, their results so far, and links to other pages."""
    settings: Settings = drawing.offer.settings
    live = drawing.offer.room.live
    assert live is not None
    words = f"A: {settings.baseline_name}. B: with the method. One start, the same seed. {_ways(settings)}"
    with provenance_log.restored_at_end():
        train(live(settings), "Train without and with it", "Both back to the very same start.", words, width=230)
        if settings.picture == "map" and settings.run.dim > DRAWN_UP_TO and session_of(live(settings)).job:
            glossary.say(f"**How this picture misleads:**{MAP_MISLEADS}", "caption")
    url_state.write_address()


def _ways(settings: Settings) -> str:
    """Links to the run on the training page, and to more seeds and knobs on Sweep."""
    link = run_link(settings.run)
    if not link:
        return ""
    sweep = {**link, "axis": settings.axis.write(), "seeds": str(SEEDS)}
    return f"[Open in Train live](train?{urlencode({KEY: TRAIN, **link})}) · [More seeds on Sweep](sweep?{urlencode(sweep)})"


def draw_source(drawing: Drawing) -> None:
    """Draw the paper, and how near the method is to it."""
    glossary.say(say.source(drawing.model), "caption")


def draw_verdict(drawing: Drawing) -> None:
    """Draw what the recorded runs decide, and among how many comparisons, unless that is asked."""
    if withheld(figure_name(ROOM, "effect")):
        return
    if drawing.model.comparison.effects:
        glossary.say(say.gains_in_words())
    glossary.say(say.verdict(drawing.model))
    if drawing.model.comparison.effects:
        glossary.say(say.comparison_count(drawing.model), "caption")


POLICY = Section(
    say.claim_on_learnt_sampling,
    "policy",
    look_for="cells that are dark on both sides: classes that are hard to separate are drawn together. More steps seen teach it.",
    misleads="triplets are counted over all of these points, where the sampler saw a batch at each step. A reward is compared "
    "with the mean of all rewards, not with that of its row.",
)


WAYS = Section(say.claim_on_ways, "ways", look_for=say.look_at_ways, misleads=say.TRAINED_MISLEADS)


def draw_learnt_sampling(drawing: Drawing) -> None:
    """Draw which class is drawn with which, if that is learnt."""
    if drawing.model.learnt_class_sampling:
        POLICY(drawing)


def draw_ways_to_search(drawing: Drawing) -> None:
    """Draw how well other ways to search do than by whole rows, if the method offers some."""
    if drawing.model.comparison.ways:
        WAYS(drawing)


PAGE = Explainer(
    ROOM,
    "A **method** changes a training step besides its loss: which images are drawn, which pairs are positive, what else is "
    "learnt. Does it help?",
    (
        Row(Section.of(say.FIRST, "plain"), Section(say.claim, "method", look_for=say.look_for, below=draw_source)),
        draw_learnt_sampling,
        Row(
            Section(
                "Trained from the same seeds, without and with it",
                "effect",
                look_for="lines that all rise or all fall: then the method does more than the seed.",
                misleads=say.TRAINED_MISLEADS,
            ),
            draw_verdict,
            widths=(3, 2),
        ),
        draw_ways_to_search,
        draw_training,
    ),
    say.FIRST,
)
