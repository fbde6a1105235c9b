"""The angular loss of one triangle, written out with its numbers."""

from __future__ import annotations

import math

from dml_viz.explain.angular.model import Model

MULTIPLIED_OUT = r"\|x_a-x_p\|\le2\tan\alpha\,\|x_n-x_c\|\text{ holds as }0\le0\text{, and no gradient is left}"


def gathered(*lines: str) -> str:
    """Lines of LaTeX under each other."""
    return r"\begin{gathered}" + r" \\[4pt] ".join(lines) + r"\end{gathered}"


def in_numbers(model: Model) -> str:
    """tan n' beside tan alpha, and the loss of the triangle, each with its numbers."""
    triangle, t = model.triangle, model.t
    bound = (
        rf"\tan n'=\frac{{\|x_a-x_p\|}}{{2\|x_n-x_c\|}}=\frac{{{2 * triangle.radius:.3f}}}{{2\cdot{triangle.reach:.3f}}}"
        + _compared(model)
    )
    violated = round(model.violation, 3) + 0.0  # which is never minus 0
    violation = (
        rf"\|x_a-x_p\|^2-4\tan^2\!\alpha\,\|x_n-x_c\|^2={4 * triangle.radius**2:.3f}-4\cdot{t:.3f}\cdot{triangle.reach**2:.3f}"
        rf"={violated:.3f}"
    )
    value = f"{abs(model.of_angular.value):.3f}"
    if model.for_one.form == "hinge":
        return gathered(bound, rf"{violation},\qquad L_{{\text{{hinge}}}}=\big[{violated:.3f}\big]_+={value}")
    a, p, n = triangle.rows
    f = 4 * t * float((a + p) @ n) - 2 * (1 + t) * float(a @ p)
    constant = rf"+({2 - 6 * t:.3f})" if model.settings.angular.constant_kept else ""
    return gathered(
        bound,
        violation,
        rf"f_{{apn}}=4\cdot{t:.3f}\cdot({float((a + p) @ n):.3f})-2\cdot{1 + t:.3f}\cdot({float(a @ p):.3f})={f:.3f},\qquad "
        rf"L=\log\big(1+e^{{{f:.3f}{constant}}}\big)={value}",
    )


def _compared(model: Model) -> str:
    triangle, alpha = model.triangle, model.settings.angular.alpha
    if triangle.point:
        return rf"\;\text{{is undefined;}} \\[4pt] {MULTIPLIED_OUT}"
    tangent = f"{triangle.tangent:.3f}" if math.isfinite(triangle.tangent) else r"\infty"
    relation = r"\le" if triangle.within(alpha) else ">"
    return rf"={tangent}\;{relation}\;\tan\alpha={math.tan(math.radians(alpha)):.3f}"
