"""The live part of the page: the plain run and the one with the method, trained together from the same start."""

from urllib.parse import urlencode

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.article import Drawing
from dml_viz.app.live_page import session_of, train
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.explain.beyond_one_loss.model_training import SEEDS, Settings
from dml_viz.room.link_version import KEY, TRAIN
from dml_viz.room.run_settings import run_link
from dml_viz.room.source import MAP_MISLEADS


def trained(drawing: Drawing) -> None:
    """Draw the button that trains both runs, their results so far, and links to other pages."""
    settings: Settings = drawing.offer.settings
    live = drawing.offer.room.live
    assert live is not None
    words = f"A: {settings.against}. B: with the method. One start, the same seed. {_ways(settings)}"
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
