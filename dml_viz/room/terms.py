"""The terms of the field that pages explain (assets/terms.toml), and those that a text uses."""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache

from dml_viz.assets import ASSETS

TERMS: Mapping[str, str] = tomllib.loads((ASSETS / "terms.toml").read_text(encoding="utf-8"))
# All terms at once, each in a group of its own; a term with a capital is found only in this spelling. It is a lookahead, so that
# a term within another is found, too.
_FOUND = re.compile(
    r"(?<![\w@-])(?=(?:" + "|".join(f"(?i:({term}))" if term.islower() else f"({term})" for term in TERMS) + r")s?(?![\w@-]))"
)
_NAMES = tuple(TERMS)


@lru_cache(maxsize=4096)
def terms_in(text: str) -> frozenset[str]:
    """The terms that ``text`` uses."""
    return frozenset(_NAMES[match.lastindex - 1] for match in _FOUND.finditer(text) if match.lastindex)
