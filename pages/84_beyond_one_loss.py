"""Beyond one loss

Methods that change what is drawn, paired or learnt besides the loss, and whether that helps.
"""

from dml_viz.explain.beyond_one_loss.page import PAGE

PAGE.run()
