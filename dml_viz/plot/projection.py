"""Points of a sphere and arrows at them, projected to a plane to be drawn."""

from dataclasses import dataclass, replace

import numpy as np

ROUNDED = 1e-15  # length up to which an arrow is a rounding error: it moves not even the last digit of a point
STEEP = 0.95  # height of the eye above which the pole is too near to say what is up


@dataclass(frozen=True)
class Flat:
    """Projected ``places`` (N, 2) and ``arrows`` (N, 2), whether a point is ``behind`` (N,), and the ``view`` in words.

    ``visible_shares`` (N,) of each arrow's squared length are in the drawing, NaN for length 0; ``lengths`` (N,) before it.
    """

    places: np.ndarray
    arrows: np.ndarray
    behind: np.ndarray
    visible_shares: np.ndarray
    lengths: np.ndarray
    view: str

    @property
    def longest_before_projection(self) -> float:
        """The length of the longest arrow before projection."""
        return float(self.lengths.max(initial=0))

    @property
    def shown_in_all(self) -> float:
        """The share of the squared length of all arrows that the drawing keeps; NaN where all arrows are 0."""
        squared = float((self.lengths**2).sum())
        return float((self.arrows**2).sum()) / squared if squared else float("nan")

    def head(self, count: int) -> "Flat":
        """The projection of the first ``count`` points and arrows."""
        rows = {name: getattr(self, name)[:count] for name in ("places", "arrows", "behind", "visible_shares", "lengths")}
        return replace(self, **rows)


def flatten(z: np.ndarray, arrows: np.ndarray, front: int, plane: np.ndarray | None = None) -> Flat:
    """Project unit rows ``z`` (N, d) and ``arrows`` (N, d): d = 2 stays as it is, d > 3 goes to ``plane`` (d, 2).

    For d = 3 they are projected without perspective from above point ``front``, which is then in the middle. Raises ValueError
    for d > 3 without a plane.
    """
    dim, behind = z.shape[1], np.zeros(len(z), bool)
    if dim == 2:
        onto, view = np.eye(2), "the circle"
    elif dim == 3:
        right, up, eye = sphere_view(z[front])
        onto, view, behind = np.stack((right, up), 1), "one side of the sphere", z @ eye < 0
    elif plane is None:
        raise ValueError(f"z has {dim} dimensions; pass a plane ({dim}, 2), see embedding.pca")
    else:
        onto, view = plane, f"a fixed plane of the {dim} dimensions"
    lengths = np.linalg.norm(arrows, axis=1)
    arrows = np.where(lengths[:, None] > ROUNDED, arrows, 0)
    flat, lengths = arrows @ onto, np.where(lengths > ROUNDED, lengths, 0)
    kept_share = np.divide((flat**2).sum(1), lengths**2, out=np.full(len(z), np.nan), where=lengths > 0)
    return Flat(z @ onto, flat, behind, kept_share, lengths, view)


def sphere_view(eye: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The orthonormal vectors (3,) right, up and towards the ``eye`` (3,) of the view from there, with the pole up."""
    eye = eye / np.linalg.norm(eye)
    right = np.cross((0.0, 0.0, 1.0) if abs(eye[2]) < STEEP else (0.0, 1.0, 0.0), eye)
    right /= np.linalg.norm(right)
    return right, np.cross(eye, right), eye
