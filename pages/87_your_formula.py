"""Your formula

Write a loss of your own as a formula: its plane, its gradients beside those of the others, its flow, and training with it.
"""

from dml_viz.explain.your_formula.page import PAGE

PAGE.run()
