"""Exported files: the spec of a figure, the formats that carry it, and the headless Chrome that draws them."""
