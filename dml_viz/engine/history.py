"""The frames of a run within a limit of bytes: thinned evenly if there are too many, with a curve row for each."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

from dml_viz.embedding.neighbour_map import Rows, whole_numbers
from dml_viz.training.frame import fitted_plane, in_plane
from dml_viz.training.loop import Frame
from dml_viz.training.state import Floats

SHARE = "plane.share"
OVERHEAD = 2000  # bytes of the Python objects around the arrays of a frame, about


class History:
    """Frames in order of step, of at most ``limit`` bytes; the first and the last always stay.

    Above the limit every second frame is dropped, and from then on every second new frame as soon as it is not the last any
    more, so that the frames are evenly spaced over the run. Curve rows of all frames stay, and of key frames the points in whole
    numbers, which neighbour maps need. Above three dimensions each frame is drawn in the plane of most of its own variance,
    turned as that of the key frame before it. This plane is found when the frame is read, so that no worker waits for it.
    """

    _undrawn: Frame | None = None  # the last frame, while it is not yet in its plane

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._frames: list[Frame] = []
        self._stride = 1
        self._rows: list[np.ndarray] = []
        self.all_steps: list[int] = []  # with those of dropped frames
        self.columns: tuple[str, ...] = ()
        self.bytes = 0
        self._plane: Floats | None = None  # of all frames, where a link asks for that of one step
        self._key_planes: dict[int, Floats] = {}  # by step
        self._keys: dict[int, Rows | None] = {}  # steps of key frames, in order, and the points of those that were dropped

    def add(self, frame: Frame) -> None:
        """Add a frame that is newer than the last; leave others out."""
        if self._frames and frame.step <= self._frames[-1].step:
            return
        self._draw_newest()
        if len(self._frames) > 1 and self._is_thinned_out(self._frames[-1]):
            self._drop(-1)
        self._frames.append(frame)
        self._undrawn = frame
        if frame.key:
            self._keys[frame.step] = None
        self.bytes += frame_bytes(frame)
        self._add_row(frame)
        self._thin()

    def copy_frames_of(self, other: "History", before: int) -> None:
        """Copy the frames and rows of ``other`` before step ``before`` into this empty history."""
        other._draw_newest()
        self._frames = [frame for frame in other._frames if frame.step < before]
        self.all_steps = [step for step in other.all_steps if step < before]
        self._rows = list(other._rows[: len(self.all_steps)])
        self._stride, self.columns, self._plane = other._stride, other.columns, other._plane
        self._key_planes = {step: plane for step, plane in other._key_planes.items() if step < before}
        self._keys = {step: points for step, points in other._keys.items() if step < before}
        self.bytes = sum(map(frame_bytes, self._frames))

    def thinned_to_bytes(self, max_bytes: int) -> "History":
        """A copy with frames of at most ``max_bytes`` in all, which may grow to the limit of this history."""
        other = History(min(max_bytes, self._limit))
        if self._frames:
            other.copy_frames_of(self, self._frames[-1].step + 1)
            other._thin()
        other._limit = self._limit
        return other

    def project_to(self, plane: Floats | None) -> None:
        """Draw all frames, present and later, in ``plane`` (d, 2); each in its own for None."""
        self._draw_newest()
        self._plane = plane
        self._frames = [self._drawn(frame) for frame in self._frames]
        if SHARE not in self.columns:
            return
        column, shares = 1 + self.columns.index(SHARE), {frame.step: frame.scalars[SHARE] for frame in self._frames}
        self._rows = [row.copy() for row in self._rows]
        for row in self._rows:
            row[column] = shares.get(int(row[0]), np.nan)

    @property
    def first(self) -> Frame | None:
        """The first frame."""
        return self._read(0) if self._frames else None

    @property
    def latest(self) -> Frame | None:
        """The last frame."""
        return self._read(-1) if self._frames else None

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps whose frames are kept."""
        return tuple(frame.step for frame in self._frames)

    def has(self, step: int) -> bool:
        """Whether the frame of exactly ``step`` is kept."""
        return bool(self._frames) and self._frames[self._place(step)].step == step

    def at(self, step: int) -> Frame | None:
        """The last kept frame at or before ``step``, or the first one of all; None if empty."""
        return self._read(self._place(step)) if self._frames else None

    def key_before(self, step: int) -> int:
        """The step of the last key frame before ``step``, at whose places its neighbour map begins; -1 if there is none."""
        return max((key for key in self._keys if key < step), default=-1)

    def key_points(self, after: int, before: int) -> dict[int, Rows]:
        """The points (n, d) of the key frames between two steps, without these, in whole numbers."""
        inside = {step: points for step, points in self._keys.items() if after < step < before}
        frames = {frame.step: frame for frame in self._frames}
        return {step: whole_numbers(frames[step].z) if points is None else points for step, points in inside.items()}

    def rows(self, first: int = 0) -> np.ndarray:
        """Curve rows (m, 1 + columns) from index ``first`` on: step, then `columns`; NaN for what a frame does not have."""
        self._draw_newest()
        return np.array(self._rows[first:], np.float32).reshape(-1, 1 + len(self.columns))

    def rows_at(self, steps: Sequence[int]) -> np.ndarray:
        """The curve rows (m, 1 + columns) of ``steps``, in order; NaN throughout for a step without a frame."""
        known = self.rows(bisect_left(self.all_steps, steps[0]) if len(steps) else len(self))
        table = np.full((len(steps), known.shape[1]), np.nan, np.float32)
        if len(known):
            row = np.searchsorted(known[:, 0], steps).clip(max=len(known) - 1)
            has_row = known[row, 0] == steps
            table[has_row] = known[row[has_row]]
        return table

    def __len__(self) -> int:
        return len(self._rows)

    def _place(self, step: int) -> int:
        """The place of the last kept frame at or before ``step``, else of the first."""
        return max(0, bisect_right(self._frames, step, key=lambda frame: frame.step) - 1)

    def _read(self, place: int) -> Frame:
        self._draw_newest()
        return self._frames[place]

    def _draw_newest(self) -> None:
        """Draw the last frame in its plane, if it is not yet; threads that do so at once come to the same."""
        if (frame := self._undrawn) is None:
            return
        drawn, place = self._drawn(frame), self._place(frame.step)
        if self._frames[place] is frame:
            self._frames[place] = drawn
        if SHARE in drawn.scalars:
            self._rows[bisect_left(self.all_steps, frame.step)][1 + self.columns.index(SHARE)] = drawn.scalars[SHARE]
        if self._undrawn is frame:
            self._undrawn = None

    def _drawn(self, frame: Frame) -> Frame:
        plane = self._plane
        if plane is None:
            plane = fitted_plane(frame, self._key_planes.get(self.key_before(frame.step)))
            if plane is not None and frame.key:
                self._key_planes[frame.step] = plane
        return frame if plane is None else in_plane(frame, plane)

    def _add_row(self, frame: Frame) -> None:
        new = tuple(name for name in frame.scalars if name not in self.columns)
        if new:
            self.columns += new
            self._rows = [np.pad(row, (0, len(new)), constant_values=np.nan) for row in self._rows]
        self.all_steps.append(frame.step)
        values = (frame.scalars.get(name, np.nan) for name in self.columns)
        self._rows.append(np.array((frame.step, *values), np.float32))

    def _thin(self) -> None:
        while self.bytes > self._limit and len(self._frames) > 2:
            self._stride *= 2
            for index in range(len(self._frames) - 2, 0, -1):
                if self._is_thinned_out(self._frames[index]):
                    self._drop(index)

    def _is_thinned_out(self, frame: Frame) -> bool:
        """Whether thinning drops the frame, by its number among all frames that came."""
        return bisect_left(self.all_steps, frame.step) % self._stride > 0

    def _drop(self, index: int) -> None:
        frame = self._frames.pop(index)
        self.bytes -= frame_bytes(frame)
        if frame.key:
            self._keys[frame.step] = whole_numbers(frame.z)


def project_as_live(frames: Iterable[Frame]) -> list[Frame]:
    """All ``frames`` of a run from its start, each projected to the plane in which a live run draws it."""
    history, shown = History(sys.maxsize), []
    for frame in frames:
        history.add(frame)
        shown.append(history.latest or frame)
    return shown


def curve_table(
    steps: Sequence[int], curves: Iterable[tuple[Sequence[str], np.ndarray]], names: Sequence[str], runs: int
) -> np.ndarray:
    """A table float32 (m, 1 + runs * names) of ``steps`` and the curves called ``names``, run by run; NaN where there is none.

    ``curves`` are the columns of each run, and its rows of these steps as `History.rows_at` gives them.
    """
    table = np.full((len(steps), 1 + runs * len(names)), np.nan, np.float32)
    table[:, 0] = steps
    for number, (columns, rows) in enumerate(curves):
        for slot, name in enumerate(names, 1 + number * len(names)):
            if name in columns:
                table[:, slot] = rows[:, 1 + columns.index(name)]
    return table


def frame_bytes(frame: Frame) -> int:
    """The bytes of a frame, about."""
    plane = () if frame.plane is None else (frame.plane,)
    arrays = (frame.z, *plane, *frame.learnt.values(), *frame.arrays.values())
    return OVERHEAD + sum(array.nbytes for array in arrays)
