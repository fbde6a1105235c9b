"""Figures of the page of one's own loss, beside those of any loss of pairs."""
