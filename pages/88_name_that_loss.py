"""Name that loss

Which loss gives this gradient? A batch, its value and its gradient are compared with every loss in every form.
"""

from dml_viz.explain.name_that_loss.page import run

run()
