"""The pace of frames: which steps of a loop get one, so that watching takes a small share of the loop's time."""

from math import ceil

EVERY = 10
FIRST = frozenset((1, 2, 3, 5))
SHARE, ALL = 0.01, 1.0  # of the loop's time that watching may take; from `ALL` on every frame is taken
COUNTED = 0.8  # of that share is given out; the rest is for what slows a loop and cannot be counted
AHEAD = 6.0  # seconds to come whose share is given out already
GENEROUS, GIFT = 0.1, 0.2  # of the loop's first seconds on top, until so many seconds were given
APART, APART_AT_FIRST = 0.2, 0.05  # seconds from frame to frame at least; the second while there is a gift
OF_THE_APP = 0.002  # seconds by which a frame's app, on the same machine, slows the loop, besides those that are counted
LONG = 5.0  # seconds to the next frame, from which on it is said
PAUSE = 4  # times a step's time, beyond which the loop does something else, such as validation


class Pace:
    """Gives each ``every``-th step a frame or, where that costs too much, to each 2nd, 4th, 8th ... of them, each ``apart``-th.

    Too much is more than ``share`` of the loop's time, but for its first seconds, in which frames come quickly.
    """

    def __init__(self, every: int, share: float | None = None) -> None:
        self.every = self.apart = max(1, int(every))
        self.share = SHARE if share is None else share
        self.step = 0
        self.due = 0  # steps that were to be taken
        self.passed = 0.0  # seconds of all steps
        self._frames, self._last, self._next, self._spent = 0, 0.0, 0.0, 0.0

    @property
    def facts(self) -> dict[str, int]:
        """The steps from frame to frame, wanted and now, and the number of frames due, for the header of a message."""
        return {"every": self.every, "apart": self.apart, "due": self.due}

    @property
    def takes_all(self) -> bool:
        """Whether every step gets a frame, whatever it costs."""
        return self.share >= ALL

    @property
    def at_most(self) -> str:
        """The share of the loop's time, in words."""
        return f"{100 * self.share:g} % of the loop's time"

    @property
    def seconds_per_step(self) -> float:
        """Seconds of a step, about; 0 before the second."""
        return self.passed / (self.step - 1) if self.step > 1 else 0.0

    def count_step(self, now: float, spent: float) -> bool:
        """Count a step at the time ``now`` and return whether it gets a frame; ``spent`` are the seconds of watching so far."""
        spent += OF_THE_APP * self._frames
        passed = now - self._last if self.step else 0.0
        self.passed += min(passed, PAUSE * self.passed / self.step) if self.step > EVERY else passed
        self.step, self._last = self.step + 1, now
        if self.step % self.apart and self.step not in FIRST:
            return False
        cost = self._cost(spent)
        left = self._given * (self.passed + AHEAD) + min(GENEROUS * self.passed, GIFT) - spent
        taken = self.takes_all or (now >= self._next and cost <= left)
        self.due += taken or not self.step % self.apart
        if taken:
            self._frames, self._next, self._spent = self._frames + 1, now + self._least, spent
        if self._frames > 1 and not self.takes_all:
            self._widen(self._seconds(cost, left) / max(self.passed / self.step, 1e-9))
        return taken

    def seconds_to_next_frame(self, spent: float) -> float:
        """Seconds to the next frame, about, where ``spent`` seconds went into watching so far."""
        spent += OF_THE_APP * self._frames
        needed = max(0.0, (spent + self._cost(spent) - GIFT) / self._given - AHEAD - self.passed)
        if self.takes_all or not self.passed:
            return 0.0 if self.takes_all else needed
        seconds = self.seconds_per_step
        return (ceil((self.step + max(1.0, needed / seconds)) / self.apart) * self.apart - self.step) * seconds

    @property
    def wider(self) -> str:
        """How often frames come, in words, where that is less often than asked for."""
        often = f"a frame comes every {self.apart:,} steps, not every {self.every:,}: at most"
        most = f"{1 / APART:.0f} a second, and {self.at_most}; share=1.0 takes all"
        return f"{often} {most}" if self.apart > self.every else ""

    @property
    def _given(self) -> float:
        return COUNTED * self.share

    @property
    def _early(self) -> bool:
        return GENEROUS * self.passed < GIFT

    @property
    def _least(self) -> float:
        """Seconds from frame to frame at least."""
        return min(APART_AT_FIRST, APART) if self._early else APART

    def _cost(self, spent: float) -> float:
        """Seconds of the newest frame; 0 after the first, which also warms torch up."""
        return spent - self._spent if self._frames > 1 else 0.0

    def _seconds(self, cost: float, left: float) -> float:
        """Seconds from frame to frame, if a frame takes ``cost`` and ``left`` may be spent."""
        if self._early:
            return max(self._least, cost / (GENEROUS + self._given))
        debt = 1 - left / (self._given * AHEAD)  # 0 where the share is taken, 1 where all of the time ahead is
        return max(self._least, cost / self._given * min(max(0.5, 1 + debt), 2))

    def _widen(self, steps: float) -> None:
        """Let frames be at least so many steps apart, or be nearer again."""
        self.apart = self.every
        while self.apart < steps:
            self.apart *= 2
