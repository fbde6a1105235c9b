"""The room of the page race."""
