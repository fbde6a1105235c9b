"""The room of the Race page."""
