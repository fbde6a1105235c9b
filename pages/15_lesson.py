"""Lesson

The first lesson, station by station: predict, then see.
"""

from dml_viz.explain.lesson.page import run

run()
