"""Figures of the FastAP page."""
