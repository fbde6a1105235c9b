"""How a live run stands at one moment, and what of that is news to who watches it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dml_viz.engine.course import Course, Status


@dataclass(frozen=True)
class Glance:
    """A run at one moment: ``latest`` is the step of its newest frame, -1 before the first; ``resets`` counts resets."""

    status: Status
    reason: str
    step: int
    budget: int
    latest: int
    resets: int
    changes: tuple[tuple[int, str], ...]

    @property
    def news(self) -> Glance:
        """What is worth telling at once: all but the steps between two frames."""
        return replace(self, step=0)


def glance_at(course: Course) -> Glance:
    """How ``course`` stands."""
    latest = course.history.latest
    return Glance(
        course.status,
        course.reason,
        course.step,
        course.run.steps,
        latest.step if latest else -1,
        course.resets,
        tuple(course.changes),
    )
