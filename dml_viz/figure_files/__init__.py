"""Exported files: the spec of a figure, the formats that contain it, and the headless Chrome that draws them."""
