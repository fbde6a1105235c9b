"""Runs and races: their declarations, the nets, and the pure function that trains them."""
