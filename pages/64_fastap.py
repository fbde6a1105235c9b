"""FastAP

From a ranking to a gradient: one query and the whole batch, on a scene or on the live run.
"""

from dml_viz.explain.fastap.page import PAGE

PAGE.run()
