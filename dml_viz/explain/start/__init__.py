"""The room of the page start."""
