"""The controls of the FastAP page: the query, the bins, and whose arrows are drawn."""

from dml_viz.embedding.sphere import LARGEST_D2
from dml_viz.explain.fastap.model import Settings
from dml_viz.explain.fastap.model_bins import Binning
from dml_viz.losses.fastap import FastAP
from dml_viz.params import param_of
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "fastap"
BINS = param_of(FastAP, "bins")
KINDS = {"soft": "soft", "hard": "hard", "half": "ends at 2"}
ARROWS = {"query": "of this query", "batch": "of the whole loss"}


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings; a scene has the query itself."""
    bins = ask.control(BINS, f"{KEY}.bins")
    note = "Soft: a pair is shared by its two nearest centres. Hard: the nearest takes all. Ends at 2: a mistake to try."
    kind = ask.choice(f"{KEY}.kind", "Binning", tuple(KINDS), "soft", named=KINDS, note=note)
    query = ask.point(f"{KEY}.query", "Query", subject.size, "The point that ranks all others.")
    whose = ask.choice(f"{KEY}.arrows", "Arrows", tuple(ARROWS), "query", named=ARROWS)
    binning = Binning(bins, hard=kind == "hard", top=LARGEST_D2 / 2 if kind == "half" else LARGEST_D2)
    return Settings(query, binning, whose == "query")
