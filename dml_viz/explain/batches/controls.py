"""The controls of the page on batches: the number of parts, the run and its step, and the way to fill the batch."""

from dml_viz.engine.recordings import LOOKS, ROWS_OF
from dml_viz.explain.batches.model import Settings
from dml_viz.explain.batches.model_samplers import FILLINGS
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "batches"
STEPS = tuple(map(str, LOOKS))
LATER = "How long the net that embeds these images has been trained. The later, the fewer hard negatives a random batch has."


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings."""
    with ask.bar():
        parts = ask.number(
            f"{KEY}.parts", "Pieces of the batch", 2, 8, 2, note="Each has its own loss; their gradients are averaged."
        )
        data = ask.choice(f"{KEY}.data", "Images", tuple(ROWS_OF), "glyphs")
        step = ask.choice(f"{KEY}.step", "Step of the run", STEPS, STEPS[-1], menu=True, note=LATER)
    way = ask.choice(f"{KEY}.way", "How the batch is filled", tuple(FILLINGS), "category", named=FILLINGS, menu=True)
    return Settings(parts, data, int(step), way)
