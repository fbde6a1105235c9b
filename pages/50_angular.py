"""Angular

A bound on the angle at the negative: the triangle, its circle, and where two losses push the same three points.
"""

from dml_viz.explain.angular.page import PAGE

PAGE.run()
