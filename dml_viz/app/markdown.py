"""Texts of a declaration or of a visitor in Markdown."""

import re

LONGEST_SHOWN, MOST_NAMED = 60, 4  # characters of a visitor's text, and settings, that a sentence repeats
TEX = re.compile(r"(\$[^$\n]+\$)")


def to_the_letter(text: str) -> str:
    """``text`` escaped, so that Markdown shows every character as it is."""
    return re.sub(r"([\\`*_\[\]<>$|~#:])", r"\\\1", text)


def with_tex(text: str) -> str:
    """``text`` escaped, except for TeX between dollars."""
    return "".join(part if part.startswith("$") and len(part) > 1 else to_the_letter(part) for part in TEX.split(text))


def listed(names: list[str]) -> str:
    """The names of settings of a link, at most a few, as the beginning of a sentence."""
    some = ", ".join(shown(name) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"the link's setting{'s' * (len(names) > 1)} {some}{more} {'are' if len(names) > 1 else 'is'}"


def shown(text: str, times: int = 1) -> str:
    """A visitor's ``text``, escaped and cut to ``times`` the usual length."""
    longest = LONGEST_SHOWN * times
    text = text if len(text) <= longest else text[:longest] + "…"
    return to_the_letter(text)
