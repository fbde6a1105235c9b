"""The effect of Proxy-NCA's scale: its least possible loss, and the pull left there."""

import numpy as np

SCALES = np.linspace(1, 4, 61)
MANY_CLASSES = (100, 1000)  # classes, to compare


def floor(classes: int, scales: np.ndarray = SCALES) -> np.ndarray:
    """The least loss with the positive in the denominator and without, and the pull left with it: (3, K) by scale (K,).

    At the least loss every sample is on its own proxy, and the proxies of C ``classes`` are all equally far apart.
    """
    apart = 2 * scales**2 * classes / (classes - 1)
    others = (classes - 1) * np.exp(-apart)
    return np.stack((np.log1p(others), np.log(classes - 1) - apart, others / (1 + others)))
