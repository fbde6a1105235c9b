"""A browser's question about a live run, as JSON text: its subject, the next frame, that of a step, embeddings, or points."""

import json
from dataclasses import dataclass
from typing import Any, Literal, get_args

LONGEST = 4096


@dataclass(frozen=True)
class Question:
    """A question: "subject"; "next", the newest frame after step ``after``; "step", the frame at or before ``step``;
    "embeddings", all coordinates of that frame; or "points", those of all key frames between ``after`` and ``step``, in whole
    numbers. A frame comes with the curve rows from the ``rows``-th on.
    """

    want: Literal["subject", "next", "step", "embeddings", "points"]
    after: int = -1
    step: int = 0
    rows: int = 0

    @classmethod
    def parse(cls, text: str) -> "Question":
        """The question written as ``text``; ValueError, which says what is wrong, for other texts."""
        if len(text) > LONGEST:
            raise ValueError(f"the question has {len(text)} characters; ask in {LONGEST} at most")
        try:
            fields = json.loads(text)
        except RecursionError as error:
            raise ValueError("the question is nested too deeply; ask with one object") from error
        if not isinstance(fields, dict) or fields.get("want") not in get_args(cls.__annotations__["want"]):
            raise ValueError(
                'ask {"want": "subject"}, {"want": "next", "after": step}, {"want": "step", "step": step}, '
                '{"want": "embeddings", "step": step} or {"want": "points", "step": step, "after": step}'
            )
        numbers = {name: _whole(fields, name, -1 if name == "after" else 0) for name in ("after", "step", "rows")}
        return cls(fields["want"], **numbers)


def _whole(fields: dict[str, Any], name: str, least: int) -> int:
    value = fields.get(name, least)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} = {value!r} is not allowed; ask with a whole number, {least} or more")
    return value
