"""A Plotly figure as the browser gets it: encoded once, kept for the next visitor who asks for the same."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go


@dataclass(frozen=True)
class Encoded:
    """A figure as the browser gets it, with its words and its height in pixels."""

    json: str
    alt: str
    height: int

    @classmethod
    def of(cls, fig: go.Figure) -> Encoded:
        return cls(fig.to_json(), fig.layout.meta["alt"], int(fig.layout.height))

    def to_json(self) -> str:
        """As a Plotly figure has it."""
        return self.json
