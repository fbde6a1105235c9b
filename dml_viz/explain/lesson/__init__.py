"""The room of the Lesson page."""
