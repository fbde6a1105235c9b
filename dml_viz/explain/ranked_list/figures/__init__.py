"""Figures of the page: arrays in, figure out."""
