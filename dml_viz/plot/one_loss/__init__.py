"""Figures of one loss of pairs: its plane and a cut through it, the weights, and the points with their pairs."""
