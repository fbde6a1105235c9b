"""What is said of a link that asks for what cannot be had: a visitor's text, to the letter and no longer than it needs."""

from dml_viz.app.markdown import to_the_letter

LONGEST_SHOWN, MOST_NAMED = 60, 4


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
