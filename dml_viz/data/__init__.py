"""Data sets, splits, samplers, augmentation, and the points that are evaluated."""
