"""All losses side by side

One batch under many losses: the arrow of each loss at every point, and where the arrows lead.
"""

from dml_viz.explain.gradients.page import PAGE

PAGE.run()
