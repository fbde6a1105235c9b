"""A visitor's own files: brought on a page, scored, visible to that visitor alone, and deleted with the session."""
