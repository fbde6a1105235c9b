"""A pitfall of the lifted structured loss: a restatement in another paper lost the square of its hinge."""

from dml_viz.embedding.sphere import ratio_and_cosine
from dml_viz.losses.lifted import LiftedStructured
from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._training import example


@pitfall(
    "Lifted structured without its square",
    claim="The Ranked List paper restates the lifted structured loss without the square of its hinge.",
    text="The hinge is squared: on one batch of {n:.0f} the value is {squared:.2f}, without the square {plain:.2f}. The gradient "
    "is {shorter:.1f} times shorter and keeps its direction (cosine {cosine:.4f}), as all hinges have about one size.",
    misleads="Random points have hinges of about one size. Where hinges differ, the square gives the larger ones more weight.",
)
def square() -> Numbers:
    """Value and gradient of the loss with its hinge squared and not squared."""
    z, y = example(64, 8, 8)
    squared, plain = (LiftedStructured(squared=choice).gradients(z, y) for choice in (True, False))
    shorter, cosine = ratio_and_cosine(squared.z, plain.z)
    return {"n": len(y), "squared": squared.value, "plain": plain.value, "shorter": shorter, "cosine": cosine}
