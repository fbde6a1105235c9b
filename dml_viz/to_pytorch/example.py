"""A few steps with the loss, as the last lines of its snippet."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dml_viz.losses import Loss
from dml_viz.to_pytorch.rewriting import STEP

CLASSES, SAMPLES, INPUTS, DIM = 8, 4, 20, 16


def example(loss: Loss, name: str, start: list[str], *, held: bool) -> str:
    """The use of the loss ``name``, whose learnt tensors the lines ``start`` make; where ``held``, these are not learnt."""
    given = {"classes": f"classes={CLASSES}", "dim": f"dim={DIM}"}
    rows = "torch.nn.functional.normalize(net(x), dim=1)" if loss.unit else "net(x)"
    many, each = (CLASSES * SAMPLES // 2, 2) if type(loss).views else (CLASSES, SAMPLES)
    what = f"{many} images, two views of each" if type(loss).views else f"{many} classes, {each} samples of each"
    lines = [
        "torch.manual_seed(0)",
        f"y = torch.arange({many}).repeat_interleave({each})  # (N,): {what}",
        f"x = torch.randn(len(y), {INPUTS})",
        f"net = torch.nn.Linear({INPUTS}, {DIM})",
    ]
    call, groups = f"{name}(z, y)", "net.parameters(), lr=1e-3"
    if loss.learns:
        call = "loss(z, y)"
        lines.append(f"loss = {name}({', '.join(given[size] for size in sizes(start))})")
    if loss.learns and not held:
        groups = '[{"params": net.parameters()}, {"params": loss.parameters(), "lr": 1e-1}], lr=1e-3'
    lines += [
        f"optimiser = torch.optim.Adam({groups})",
        "for step in range(3):",
        f"{STEP}z = {rows}  # (N, d)",
        f"{STEP}value = {call}",
        f"{STEP}optimiser.zero_grad()",
        f"{STEP}value.backward()",
        f"{STEP}optimiser.step()",
        f'{STEP}print(f"step {{step}}: {{value.item():.4f}}")',
    ]
    return "\n".join(['if __name__ == "__main__":', *(f"{STEP}{line}" for line in lines)])


def sizes(start: list[str]) -> list[str]:
    """The sizes that these lines speak of."""
    return [name for name in ("classes", "dim") if speaks(start, name)]


def speaks(code: Iterable[str], name: str) -> bool:
    """Whether ``name`` occurs in any of these pieces."""
    return any(re.search(rf"\b{name}\b", part) for part in code)
