"""A visitor's own files: brought by the page, scored, seen by that visitor alone, and gone with the session."""
