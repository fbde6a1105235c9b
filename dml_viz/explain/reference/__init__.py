"""The room of the page reference."""
