"""The controls of the Papers page: the data set, and a method to highlight."""

from dml_viz.explain.papers.model import Settings
from dml_viz.pitfalls import RESULTS
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "papers"
NONE = "none"


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings."""
    sets = tuple(RESULTS)
    dataset = ask.choice(f"{KEY}.data", "Data set", sets, sets[0])
    methods = tuple(dict.fromkeys(method for results in RESULTS.values() for method in results))
    picked = ask.choice(f"{KEY}.method", "Highlight", (NONE, *methods), "MS", menu=True)
    return Settings(dataset, "" if picked == NONE else picked)
