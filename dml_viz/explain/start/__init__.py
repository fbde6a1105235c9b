"""The room of the Start page."""
