"""What pairs are asked for, as lines that compute it from rows, labels and proxies."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from dml_viz.embedding import sphere
from dml_viz.losses import Loss, Pairs
from dml_viz.to_pytorch.gathering import Gathering
from dml_viz.to_pytorch.rewriting import Text, body_of, rewritten
from dml_viz.to_pytorch.settling import own
from dml_viz.to_pytorch.spreading import LEARNT

GIVEN = ("z", "y", "to", "owners")
ORDER = (*GIVEN, *(name for name, thing in vars(Pairs).items() if isinstance(thing, cached_property)))


class Asking:
    """The answers that a loss gets from its pairs; what they need is gathered in ``gathered``.

    ``ends`` are the names of the pairs' other ends and of their classes, where these are not the rows and labels themselves.
    """

    def __init__(self, loss: Loss, gathered: Gathering) -> None:
        self._loss, self._gathered = loss, gathered
        self._lines = self._other_ends()
        self.ends = {name: next(reversed(lines)) for name, lines in self._lines.items()}

    def definitions(self, asked: Iterable[str], named: Mapping[str, str]) -> list[str]:
        """A line for everything that pairs are asked for, each after what it is made of."""
        found: dict[str, str] = {}
        names = {**named, "to": "z", "owners": "y", **self.ends}
        beside = SimpleNamespace(among_themselves="proxies" not in self._loss.learns)

        def called(node: Any, text: Text) -> str | None:
            return names.get(node.attr, node.attr) if own(node) else None

        def define(name: str) -> None:
            if name in found or name.startswith(LEARNT):
                return
            if name in GIVEN:
                found.update(self._lines.get(name, {}))
                return
            attribute = inspect.getattr_static(Pairs, name, None)
            if not isinstance(attribute, cached_property):
                raise TypeError(
                    f"{type(self._loss).__name__} asks its pairs for {name}, which is no property of theirs"
                )
            (line,) = body_of(self._gathered.source(attribute.func, beside))
            expression = line.removeprefix("return ")
            for part in ast.walk(ast.parse(expression)):
                if own(part) and isinstance(part, ast.Attribute):
                    define(part.attr)
            found[names.get(name, name)] = rewritten(expression, called)

        for name in asked:
            define(name)
        return [f"{name} = {expression}" for name, expression in found.items()]

    def _other_ends(self) -> dict[str, dict[str, str]]:
        """What pairs' other ends and their classes are made of, where these are not the rows and labels themselves."""
        if "proxies" not in self._loss.learns:
            return {"to": {"others": "z.detach()"}} if self._loss.one_sided else {}
        proxies = {"proxies": f"{self._gathered.function(sphere.normalise)}(self.proxies)"}
        per_class = self._gathered.attribute("per_class", self._loss)
        owners = "torch.arange(len(self.proxies), device=y.device)"
        if self._loss.per_class > 1:
            owners += f'.div({per_class}, rounding_mode="floor")'
        return {"to": proxies, "owners": {"owners": owners}}
