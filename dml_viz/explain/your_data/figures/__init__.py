"""Figures of the page on own embeddings."""
