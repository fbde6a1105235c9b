"""Words of a declaration or of a visitor, in Markdown."""

import re

LONGEST_SHOWN, MOST_NAMED = 60, 4  # characters of a visitor's text, and settings, that a sentence repeats
TEX = re.compile(r"(\$[^$\n]+\$)")


def to_the_letter(text: str) -> str:
    """``text`` written so that Markdown shows every sign of it."""
    return re.sub(r"([\\`*_\[\]<>$|~#:])", r"\\\1", text)


def with_tex(text: str) -> str:
    """``text`` to the letter, but for TeX between dollars."""
    return "".join(part if part.startswith("$") and len(part) > 1 else to_the_letter(part) for part in TEX.split(text))


def listed(names: list[str]) -> str:
    """Settings of a link by name, no more than a few of them, as the beginning of a sentence."""
    some = ", ".join(shown(name) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"the link's setting{'s' * (len(names) > 1)} {some}{more} {'are' if len(names) > 1 else 'is'}"


def shown(text: str, times: int = 1) -> str:
    """A visitor's ``text`` so that Markdown shows every sign of it, cut to ``times`` the usual length."""
    longest = LONGEST_SHOWN * times
    text = text if len(text) <= longest else text[:longest] + "…"
    return to_the_letter(text)
