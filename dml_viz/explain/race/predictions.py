"""The predictions that the Race page asks for, on the recorded race with which it opens."""

from dml_viz.app.predictions import MOST, Choices, Mark, Prediction
from dml_viz.app.predictions.drawer import Asker
from dml_viz.app.predictions.of_recording import Recorded, recorded

APART = 0.01  # of R@1


def _first(race: Recorded) -> int:
    return int(race.after[:MOST].mean(1).argmax())


def _scores(race: Recorded) -> str:
    rows = zip(race.titles, race.after.mean(1), race.after.std(1), strict=True)
    listed = ", ".join(f"{title} {mean:.2f} ± {spread:.2f}" for title, mean, spread in rows)
    return f"R@1 on classes never seen, mean ± spread over {race.after.shape[1]} seeds: {listed}."


def _close(race: Recorded) -> int:
    """The number of racers that end within the spread of the best."""
    best = race.after.mean(1).argmax()
    return int((race.after.mean(1) >= race.after[best].mean() - race.after[best].std()).sum())


PREDICTIONS: tuple[Prediction[Recorded], ...] = (
    Prediction(
        "race.best",
        "Who wins the race?",
        lambda race: (
            f"All start from the same weights and see the same batches, {race.steps:,} steps. Which loss ends with the "
            "highest R@1 on classes that it never saw?"
        ),
        lambda race: Choices(race.titles[:MOST]),
        lambda before, after: _first(after),
        lambda before, after: _scores(after),
        hides=("race",),
    ),
    Prediction(
        "race.close",
        "How close is it?",
        lambda race: (
            f"Of {len(race.titles)} losses, how many end within one standard deviation of the best one's R@1, itself "
            f"among them?"
        ),
        lambda race: Mark("Losses", 1, len(race.titles), 0),
        lambda before, after: _close(after),
        lambda before, after: _scores(after),
        hides=("race",),
    ),
)
ASKER = Asker(PREDICTIONS, lambda _: (recorded("race"), recorded("race")))
