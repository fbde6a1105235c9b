"""Words of a declaration or of a visitor, in Markdown."""

import re

TEX = re.compile(r"(\$[^$\n]+\$)")


def to_the_letter(text: str) -> str:
    """``text`` written so that Markdown shows every sign of it."""
    return re.sub(r"([\\`*_\[\]<>$|~#:])", r"\\\1", text)


def with_tex(text: str) -> str:
    """``text`` to the letter, but for TeX between dollars."""
    return "".join(part if part.startswith("$") and len(part) > 1 else to_the_letter(part) for part in TEX.split(text))
