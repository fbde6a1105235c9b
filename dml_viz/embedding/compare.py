"""How two gradients of one batch compare."""

import numpy as np
import torch
from torch import Tensor


def ratio_and_cosine(g: Tensor | np.ndarray, true: Tensor | np.ndarray) -> tuple[float, float]:
    """How many times longer ``g`` is than ``true``, of equal shapes, and the cosine between them; NaN where either is 0."""
    g, true = torch.as_tensor(g), torch.as_tensor(true)
    long, short = float(g.norm()), float(true.norm())
    if not long or not short:
        return float("nan"), float("nan")
    return long / short, float((g * true).sum()) / (long * short)
