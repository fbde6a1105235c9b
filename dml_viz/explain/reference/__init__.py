"""The room of the Reference page."""
