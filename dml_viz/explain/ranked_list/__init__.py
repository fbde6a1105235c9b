"""The room of the page ranked list."""
