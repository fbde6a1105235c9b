"""The room of the page train."""
