"""Proxies

One learnt proxy for each class: how hard it pulls its samples, and when it stops.
"""

from dml_viz.explain.proxies.page import PAGE

PAGE.run()
