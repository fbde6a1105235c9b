"""What the start page is called, and what it claims."""

from __future__ import annotations

TITLE = "See deep metric learning"
CLAIM = "Before training, neighbours on the circle are accidents; after it, they are mostly the same digit"
