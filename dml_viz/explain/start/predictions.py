"""The predictions that the Start page asks for, on the recorded run that it plays."""

from dml_viz.room.carried import RecordedRecall, read_recorded_recall
from dml_viz.room.prediction import Mark, Prediction

PREDICTIONS: tuple[Prediction[RecordedRecall], ...] = (
    Prediction(
        "start.neighbours",
        "How many neighbours will be alike?",
        lambda run: (
            f"Before training, the nearest neighbour of an image is of its class for {run.before.mean():.0%} of the "
            f"images; compared pixel by pixel, for {run.pixels:.0%}. After {run.steps} steps?"
        ),
        Mark("Images whose nearest neighbour is of their class, in percent", 0, 100, 5, unit="%"),
        lambda before, after: 100 * float(after.after.mean()),
        lambda before, after: f"R@1 goes from {after.before.mean():.0%} to {after.after.mean():.0%}: see the points move below.",
        recording=lambda: read_recorded_recall("start"),
    ),
)
