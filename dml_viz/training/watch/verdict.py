"""Sentences on what is wrong with a watched loop, with numbers, and up to which step that is known."""

import numpy as np
from numpy.typing import NDArray

from dml_viz.training.frame import Frame
from dml_viz.training.watch.steps import LossEnvelope, Losses

MOST_FRAMES = 512  # frames at most; above, each two are averaged
RECENT = 5  # of which a window has the share of all frames
SAME_TASK = 0.8  # times the classes of the newest frame: a frame of fewer is an easier one, and not compared
ESTIMATED = 8  # frames from which on the noise of a score is that between frames, not that of so many points
LEAST, FEW = 0.02, 0.03  # fall of R@1 that is said; where there are few frames
SURE, SURE_OF_FEW = 4.0, 2.0  # standard deviations of a fall that is said
FALLING = 0.98  # times the loss of before
MOST_DEAD = 0.75  # share of the batch without a gradient, above which it is said
NOT_FINITE = "the loss is not finite"


class Verdict:
    """The verdict on a loop so far; take frames and values in the order in which they come."""

    def __init__(self, *, probe: bool) -> None:
        self.curve = LossEnvelope()
        self.step = 0  # of the newest frame
        self._probe, self._points = probe, 0
        self._classes = 0  # of the newest frame
        self._frames: list[tuple[float, ...]] = []  # step, R@1, loss, active share, classes
        self._of_frame: tuple[str, ...] = ()
        self._sum, self._count = 0.0, 0  # of the finite values of the loss since the newest frame

    def add_losses(self, new: Losses) -> None:
        """Take values of the loss."""
        finite = self.curve.add(new)
        self._sum, self._count = self._sum + float(finite.sum(dtype=np.float64)), self._count + len(finite)

    def add_frame(self, frame: Frame) -> None:
        """Take a frame."""
        if frame.step <= self.step:
            return
        loss = self._sum / self._count if self._count else frame.scalars.get("loss", np.nan)
        self._sum, self._count = 0.0, 0
        self.step, self._of_frame, self._points = frame.step, frame.notes, len(frame.z)
        if "y" in frame.arrays:
            self._classes = len(np.unique(frame.arrays["y"]))
        score, active = (frame.scalars.get(name, np.nan) for name in ("r1.unseen", "active"))
        self._frames.append((frame.step, score, loss, active, self._classes))
        if len(self._frames) > MOST_FRAMES:
            pairs = np.array(self._frames[: len(self._frames) // 2 * 2]).reshape(-1, 2, len(self._frames[0]))
            self._frames = [tuple(row) for row in pairs.mean(1).tolist()]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is wrong; none where all is well."""
        bad = self._not_finite()
        notes = [note for note in self._of_frame if not (bad and NOT_FINITE in note)]
        if bad or notes:
            return tuple(filter(None, (bad, *notes)))
        of_task = [each for each in self._frames if each[4] >= SAME_TASK * self._classes]
        falls = retrieval_falls(np.array(of_task), self._points, probe=self._probe)
        return tuple(filter(None, (self._dead(), falls)))

    @property
    def all_well_sentence(self) -> str:
        """The sentence where nothing is wrong: what was looked at, and up to which step."""
        curve, newest = self.curve, self._frames[-1]
        of = f" of {curve.last:,}" if curve.last > self.step else ""
        gradient = "its gradient is not known" if np.isnan(newest[3]) else "no dead gradient"
        if not curve.known:
            return f"Diagnosis at step {self.step:,}: no collapse, {gradient}, no NaN; steps between frames are not known."
        every, rest = ("all", "") if curve.known == curve.last else (f"{curve.known:,} of", "; the others are not known")
        finite = f"The loss is finite at {every} {curve.last:,} steps{rest}."
        return f"Diagnosis at step {self.step:,}{of}: no collapse, {gradient}. {finite}"

    def _not_finite(self) -> str:
        curve = self.curve
        if not curve.not_finite:
            return ""
        first = curve.first_not_finite
        if curve.not_finite == curve.last - first + 1:
            return f"From step {first:,} on {NOT_FINITE}." if curve.last > first else f"At step {first:,} {NOT_FINITE}."
        return f"At step {first:,} {NOT_FINITE}, and at {curve.not_finite:,} of {curve.known:,} steps in all."

    def _dead(self) -> str:
        known = [frame[3] for frame in self._frames[-RECENT:] if not np.isnan(frame[3])]
        active = float(np.mean(known)) if known else 1.0
        if 1 - active < MOST_DEAD:
            return ""
        return f"{100 * (1 - active):.0f} % of the batch has no gradient: nothing is learnt from these points."


def retrieval_falls(frames: NDArray[np.float64], points: int, *, probe: bool) -> str:
    """A sentence if R@1 is surely lower than it was, else "". ``frames`` (n, >= 3) are step, R@1 and loss.

    The mean of the newest frames is compared with the best mean of as many before. Where frames show other batches, few frames
    say nothing.
    """
    frames = frames[~np.isnan(frames[:, :3]).any(1)] if len(frames) else frames
    count, few = len(frames), len(frames) < ESTIMATED
    if count < 2 or (few and not probe):
        return ""
    width = max(1, count // RECENT)
    means = np.stack([np.convolve(frames[:, k], np.ones(width) / width, "valid") for k in (1, 2)], 1)
    best, (now, loss) = int(means[:-width, 0].argmax()), means[-1]
    high, before = means[best]
    if few:
        noise, least, sure = np.sqrt(now * (1 - now) / max(points, 1)), FEW, SURE_OF_FEW
    else:
        noise, least, sure = np.diff(frames[:, 1]).std() / np.sqrt(width), LEAST, SURE
    if high - now < max(least, sure * noise):
        return ""
    then, at = (_steps(frames[first : first + width, 0]) for first in (best, count - width))
    scores = f"R@1 is {now:.2f} at {at}, it was {high:.2f} at {then}"
    if loss < FALLING * before:
        return f"Retrieval falls while the loss falls: {scores}, and the loss went from {before:.3g} to {loss:.3g}."
    return f"Retrieval falls: {scores}, and the loss has not fallen since; lower the learning rate."


def _steps(steps: NDArray[np.float64]) -> str:
    first, last = round(steps[0]), round(steps[-1])
    return f"step {first:,}" if first == last else f"steps {first:,} to {last:,}"
