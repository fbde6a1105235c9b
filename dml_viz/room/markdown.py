"""Texts of a declaration or of a visitor in Markdown."""

import re
from itertools import zip_longest

LONGEST_SHOWN, MOST_NAMED = 60, 4  # characters of a visitor's text, and settings, that a sentence repeats
TEX = re.compile(r"(\$[^$\n]+\$)")
# What names a paper in a reference: a number of arXiv, a DOI, or an address.
IDENTIFIER = re.compile(r"(arXiv:|doi:|https://)(\S*[^\s.;,)])")
HTTPS = "https://"
BETWEEN = re.compile(r",(\\q?quad) ")  # parts of a formula
PAIRED = (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end"))
ADDRESSES = {"arXiv:": "https://arxiv.org/abs/", "doi:": "https://doi.org/", HTTPS: HTTPS}


def to_the_letter(text: str) -> str:
    """``text`` escaped, so that Markdown shows every character as it is."""
    return re.sub(r"([\\`*_\[\]<>$|~#:])", r"\\\1", text)


def escape_except_tex(text: str) -> str:
    """``text`` escaped, except for TeX between dollars."""
    return "".join(part if part.startswith("$") and len(part) > 1 else to_the_letter(part) for part in TEX.split(text))


def with_breaks(formula: str) -> str:
    """``formula`` in LaTeX, to be broken on a narrow screen between its parts, if it has any, and not within one."""
    parts, between = BETWEEN.split(formula)[::2], BETWEEN.findall(formula)
    if any(part.count(opens) != part.count(closes) for part in parts for opens, closes in PAIRED):
        parts, between = [formula], []
    return "".join(
        f"{{{part}}}" + (rf",\allowbreak{space} " if space else "") for part, space in zip_longest(parts, between, fillvalue="")
    )


def cited(reference: str) -> str:
    """``reference`` to the letter, with a link at what names each paper: “arXiv:1503.03832”, “doi:...” or a host."""
    between = IDENTIFIER.split(reference)[:: IDENTIFIER.groups + 1]
    return "".join(f"{to_the_letter(text)}{link}" for text, link in zip_longest(between, links(reference), fillvalue=""))


def links(reference: str) -> list[str]:
    """The links of the papers in ``reference``, which nothing but a visitor's click opens."""
    return [
        f"[{to_the_letter(name.partition('/')[0] if kind == HTTPS else kind + name)}]({ADDRESSES[kind]}{name})"
        for kind, name in IDENTIFIER.findall(reference)
    ]


def link_settings_phrase(names: list[str]) -> str:
    """The names of settings of a link, at most a few, as the beginning of a sentence."""
    some = ", ".join(clip_and_escape(name) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"the link's setting{'s' * (len(names) > 1)} {some}{more} {'are' if len(names) > 1 else 'is'}"


def clip_and_escape(text: str, times: int = 1) -> str:
    """A visitor's ``text``, escaped and cut to ``times`` the usual length."""
    longest = LONGEST_SHOWN * times
    text = text if len(text) <= longest else text[:longest] + "…"
    return to_the_letter(text)
