"""A pitfall of multi-similarity: losses are ranked by the recall of papers that differ in more than their loss."""

from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._published import CUB


@pitfall(
    "A rank of papers is no rank of losses",
    claim="A survey's table puts SCHE before multi-similarity, and says that the code of multi-similarity is not published. It "
    "adds that conditions differ and that such results cannot decide.",
    text="The code is published now, and the survey's warning is right. On CUB SCHE has an R@1 of {other_first:.1f} against "
    "{own_first:.1f}, but a recall at two of {other_second:.1f} against {own_second:.1f}. It differs in more than its loss: "
    "images of {larger:.0f} pixels and second-order pooling.",
    misleads="Papers of one year use different nets, image sizes and dimensions.",
)
def published_recalls() -> Numbers:
    """R@1 and the number in the R@2 column of both methods on CUB, and the size of SCHE's images in pixels."""
    recalls = {"own": CUB["MS"], "other": CUB["SCHE"]}
    numbers = {f"{name}_{k}": number for name, recall in recalls.items() for k, number in recall._asdict().items()}
    return {**numbers, "larger": 336.0}
