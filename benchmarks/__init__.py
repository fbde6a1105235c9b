"""Measurements: one file each, run by its name; ``python -m benchmarks`` runs them all."""
