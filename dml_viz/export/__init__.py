"""The command line, and what it does without a page: figures made again from their specs."""
