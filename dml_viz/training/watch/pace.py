"""Which steps of a loop are taken, so that watching takes a small share of its time, whatever a frame costs."""

from math import ceil

EVERY = 10
FIRST = frozenset((1, 2, 3, 5))
APART = 0.2  # seconds from frame to frame at least
SHARE, AHEAD = 0.008, 6.0  # of the loop's time that watching may take, and of how many seconds to come already
OF_THE_APP = (
    0.002  # seconds by which a frame's app, on the same machine, slows the loop, besides those that are counted
)
AT_MOST = f"{ceil(100 * SHARE)} % of the loop's time"
LONG = 5.0  # seconds to the next frame, from which on it is said
PAUSE = 4  # times a step's time, beyond which the loop does something else, such as validation


class Pace:
    """Takes each ``every``-th step or, where that would take too much, each 2nd, 4th, 8th ... of these: each ``apart``-th."""

    def __init__(self, every: int) -> None:
        self.every = self.apart = max(1, int(every))
        self.step = 0
        self.due = 0  # steps that were to be taken
        self.passed = 0.0  # seconds of all steps
        self._frames, self._last, self._next, self._spent = 0, 0.0, 0.0, 0.0

    def takes(self, now: float, spent: float) -> bool:
        """Count a step at the time ``now``; whether it is taken, where ``spent`` seconds went into watching so far."""
        spent += OF_THE_APP * self._frames
        passed = now - self._last if self.step else 0.0
        self.passed += min(passed, PAUSE * self.passed / self.step) if self.step > EVERY else passed
        self.step, self._last = self.step + 1, now
        if self.step % self.apart and self.step not in FIRST:
            return False
        cost = self._cost(spent)
        left = SHARE * (self.passed + AHEAD) - spent
        taken = now >= self._next and cost <= left
        self.due += taken or not self.step % self.apart
        if taken:
            self._frames, self._next, self._spent = self._frames + 1, now + APART, spent
        if self._frames > 1:
            debt = 1 - left / (SHARE * AHEAD)  # 0 where its share is taken, 1 where all of the time ahead is
            seconds = max(APART, cost / SHARE * min(max(0.5, 1 + debt), 2))
            self._widen(seconds * self.step / max(self.passed, 1e-9))
        return taken

    def wait(self, spent: float) -> float:
        """Seconds to the next frame, about, where ``spent`` seconds went into watching so far."""
        spent += OF_THE_APP * self._frames
        needed = max(0.0, (spent + self._cost(spent)) / SHARE - AHEAD - self.passed)
        if not self.passed:
            return needed
        seconds = self.passed / (self.step - 1)  # of a step
        return (ceil((self.step + max(1.0, needed / seconds)) / self.apart) * self.apart - self.step) * seconds

    def _cost(self, spent: float) -> float:
        """Seconds of the newest frame; what the first costs, which warms everything up, says nothing of the others."""
        return spent - self._spent if self._frames > 1 else 0.0

    @property
    def wider(self) -> str:
        """How often frames come, in words, where that is less often than asked for."""
        often = f"a frame comes every {self.apart:,} steps, not every {self.every:,}: at most"
        return f"{often} {1 / APART:.0f} a second, and {AT_MOST}" if self.apart > self.every else ""

    def _widen(self, steps: float) -> None:
        """Let frames be at least so many steps apart, or be nearer again."""
        self.apart = self.every
        while self.apart < steps:
            self.apart *= 2
