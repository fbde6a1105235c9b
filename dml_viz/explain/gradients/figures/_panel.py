"""What one of the small multiples shows: a loss's arrows at the points, and what to say below them."""

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Panel:
    """A loss on the points that all panels share.

    ``arrows`` (N, k) are its gradients, as the points are drawn (k is 2 or 3), not yet turned downhill nor scaled; ``lengths``
    (N,) what they are before they are flattened, 0 where rounding alone is left. Of each point ``partners`` (N, K) are those
    whose weights (N, K) are largest, heaviest first, -1 where there are fewer; from N on they are ``proxies`` (M, k), of classes
    ``owners`` (M,). ``points`` and ``pairs`` count the touched and all; ``radial`` and ``shown`` are shares of the whole
    gradient, NaN where there is none.
    """

    name: str
    title: str
    value: float
    norm: float
    points: tuple[int, int]
    pairs: tuple[int, int]
    seconds: float
    radial: float
    shown: float
    arrows: np.ndarray
    lengths: np.ndarray
    partners: np.ndarray
    weights: np.ndarray
    one_sided: bool = False
    proxies: np.ndarray | None = None
    owners: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    note: str = ""


@dataclass(frozen=True, eq=False)
class Points:
    """Where all panels have their points (N, k), k = 2 or 3, and of which classes (N,).

    ``circle`` tells that the points are on the unit circle, and not flattened from more dimensions. What is flattened is drawn
    ``zoom`` times as far from ``middle`` as it lies, and so are the proxies of all panels; arrows are as long as ever.
    """

    places: np.ndarray
    y: np.ndarray
    circle: bool
    zoom: float = 1.0
    middle: tuple[float, float] = (0.0, 0.0)

    def enlarged(self, places: np.ndarray) -> np.ndarray:
        """Places (..., k) as they are drawn."""
        return self.zoom * (places - self.middle) if self.zoom > 1 else places


def camera(view: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right, up and towards the eye: unit vectors (3,) of the side ``view`` of the sphere, "235_24" in degrees."""
    turn, tilt = (math.radians(float(part)) for part in view.split("_"))
    right = np.array((math.cos(turn), math.sin(turn), 0.0))
    ahead = np.array((math.sin(turn), -math.cos(turn), 0.0))
    above = np.array((0.0, 0.0, 1.0))
    return right, math.cos(tilt) * above - math.sin(tilt) * ahead, math.cos(tilt) * ahead + math.sin(tilt) * above


def number(value: float) -> str:
    """A number in three digits, as the panels write it."""
    if math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e5 or size < 1e-3:
        digits, _, power = f"{value:.1e}".partition("e")
        text = f"{digits}e{int(power)}"
    else:
        text = f"{value:.0f}" if size >= 100 else f"{value:.3g}" if size < 99.95 else "100"
    return text.replace("-", "−")


def share(part: int, whole: int) -> str:
    """A share as whole per cent: "<1%" for some but little, "–" of nothing."""
    if not whole:
        return "–"
    per_cent = 100 * part / whole
    return "<1%" if 0 < per_cent < 1 else f"{math.floor(per_cent + 0.5)}%" if per_cent <= 99 or part == whole else "99%"
