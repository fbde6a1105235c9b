"""The predictions that the Race page asks for, on the recorded races: the one with which it opens, and the one over seeds."""

from dml_viz.explain.race.settings import BEFORE, OPENS, VERSIONS
from dml_viz.room.ask import KEY as VERSION
from dml_viz.room.carried import RecordedRecall, read_recorded_recall
from dml_viz.room.prediction import MOST, Choices, Mark, Prediction
from dml_viz.training.effects import deviation


def _first(race: RecordedRecall) -> int:
    return int(race.after[:MOST].mean(1).argmax())


def _ends(race: RecordedRecall) -> str:
    return ", ".join(f"{title} {mean:.2f}" for title, mean in zip(race.titles, race.after.mean(1), strict=True))


def _scores(race: RecordedRecall) -> str:
    rows = zip(race.titles, race.after.mean(1), deviation(race.after.T), strict=True)
    listed = ", ".join(f"{title} {mean:.2f} ± {spread:.2f}" for title, mean, spread in rows)
    return f"R@1, mean ± standard deviation over {race.after.shape[1]} seeds: {listed}."


def _close(race: RecordedRecall) -> int:
    """The number of racers that end within one standard deviation of the best."""
    means = race.after.mean(1)
    best = means.argmax()
    return int((means >= means[best] - deviation(race.after[best])).sum())


PREDICTIONS: tuple[Prediction[RecordedRecall], ...] = (
    Prediction(
        "race.best",
        "Who wins the race?",
        lambda race: (
            f"All start from the same weights and see the same batches, {race.steps:,} steps. Ten digits do not fit on a circle. "
            "Which loss ends with the highest R@1 on images that it never saw?"
        ),
        lambda race: Choices(race.titles[:MOST]),
        lambda before, after: _first(after),
        lambda before, after: f"R@1 at the end, from one seed: {_ends(after)}.",
        settings={VERSION: VERSIONS.version, **OPENS},
        recording=lambda: read_recorded_recall("race"),
    ),
    Prediction(
        "race.close",
        "How close is it?",
        lambda race: (
            f"The race over seeds, on icons: {len(race.titles)} losses from {race.after.shape[1]} starts. How many end within "
            "one standard deviation of the best one's R@1, itself among them?"
        ),
        lambda race: Mark("Losses", 1, len(race.titles), 0),
        lambda before, after: _close(after),
        lambda before, after: _scores(after),
        settings={VERSION: VERSIONS.version, **BEFORE},
        recording=lambda: read_recorded_recall("race_over_seeds"),
    ),
)
