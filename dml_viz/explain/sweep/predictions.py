"""The predictions that the Sweep page asks for, on recorded sweeps."""

from functools import cache

from dml_viz.engine.results import recorded_results
from dml_viz.explain.sweep.model import Model, Settings, SweepScores
from dml_viz.explain.sweep.settings import PRESETS, SCORE, sweep_settings
from dml_viz.explain.sweep.text import verdict
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.prediction import Choices, Mark, Prediction
from dml_viz.training.paths import write_value

HIDES = ("sweep-knob", "sweep-course", "sweep-chance")
BINS, DIMENSIONS = "FastAP’s bins", "Dimension"


@cache
def _model(preset: str) -> Model:
    sweep = sweep_settings(LinkReader({key: str(value) for key, value in PRESETS[preset][0].items()}))
    results = [recorded_results().find(run) for run in sweep.runs]
    return Model(Settings(sweep, SweepScores.of(sweep, results)))


def _values(sweep: Model) -> tuple[str, ...]:
    return tuple(write_value(value) for value in sweep.effects[0].values)


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        "sweep.bins",
        "Bins or seed?",
        lambda sweep: (
            f"FastAP on glyphs with {', '.join(_values(sweep))} bins, each from {sweep.sweep.seeds} seeds. Which moves mAP on "
            "unseen classes farther: the bins, or the seed?"
        ),
        Choices(("the bins", "the seed")),
        lambda before, after: int(after.effects[0].seed_difference >= after.effects[0].difference),
        lambda before, after: verdict(after),
        settings={**PRESETS[BINS][0], SCORE: "map"},
        hides=HIDES,
        recording=lambda: _model(BINS),
    ),
    Prediction(
        "sweep.dimension",
        "How much is a dimension worth?",
        lambda sweep: (
            f"FastAP on glyphs in {', '.join(_values(sweep))} dimensions, {sweep.sweep.seeds} seeds each. How far does the "
            "dimension move mean mAP on unseen classes, from the worst to the best?"
        ),
        Mark("mAP", 0, 0.5, 0.03, 0.01),
        lambda before, after: after.effects[0].difference,
        lambda before, after: verdict(after),
        settings={**PRESETS[DIMENSIONS][0], SCORE: "map"},
        hides=HIDES,
        recording=lambda: _model(DIMENSIONS),
    ),
)
