"""The votes of a class: bars of shares for options, dots for guesses, with the truth."""

import html
import math
import re
from collections import Counter
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from dml_viz.explain.votes.model import ClassroomVotes, Model, without_marks
from dml_viz.plot.canvas import TO_SCALE, Display, axis, chart, number
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, line, marks

COLOURS = (EXACT, POSITIVE, QUERY, NEGATIVE)  # of the rows
APART, STACKED = 1.0, 0.8  # of two rows of dots; the height of the highest pile
NOTHING = "No votes yet: a console opens them here after a reveal."
TOO_FEW = "Fewer than five answered, so their votes are not shown."
SHORT, LINE = 24, 48  # characters of an option that stands below its bars, and of a line of the others above
HEIGHT = 300
FORM = ".15g"  # of guesses, which a class gives as exactly as it likes


def votes(model: Model, display: Display) -> go.Figure:
    """The first and the second vote beside each other, and those of an earlier class, with the truth."""
    question = model.question
    if question is None or not model.rows:
        x, y = axis("", 0, 1, showticklabels=False), axis("", 0, 1, showticklabels=False)
        words = TOO_FEW if question else NOTHING
        return chart([], [("", INK[display.theme], words)], x, y, height=HEIGHT, theme=display.theme, alt=words)
    return (_options if question.by_choice else _guesses)(question, model, display)


def _options(question: ClassroomVotes, model: Model, display: Display) -> go.Figure:
    """A bar for each option and vote: the share of those who answered."""
    traces, words, sentences = [], [], []
    places = list(range(len(question.options)))
    for colour, (title, vote) in zip(COLOURS, model.rows, strict=False):
        total = sum(vote)
        shares = [100 * count / total if total else 0.0 for count in vote]
        traces.append(bars(title, places, shares, colour=colour, hover=f"{title}: %{{y:.0f}} % of {total:.0f}"))
        words.append(("■", colour, f"{title}, {total:.0f} {model.answers_in_words}"))
        sentences.append(f"{title}: {', '.join(f'{share:.0f} %' for share in shares)}")
    right = "" if question.truth is None else question.options[int(question.truth)]
    names = [_plain(each) for each in question.options]
    if max(map(len, question.options)) > SHORT:
        names = list("ABCDE"[: len(names)])
        options = zip(names, map(_plain, question.options), strict=True)
        words += [(name, INK[display.theme], "<br>".join(wrap(option, LINE))) for name, option in options]
    ticks = [f"<b>{name} ✓</b>" if each == right else name for name, each in zip(names, question.options, strict=True)]
    x = axis("", -0.6, len(places) - 0.4, tickvals=places, ticktext=ticks)
    alt = f"{_plain(question.text)} {'; '.join(sentences)}." + (f" Right: {_plain(right)}." if right else "")
    y = axis("share of answers (%)", 0, 100)
    lines = sum(1 + text.count("<br>") for *_, text in words)
    look: dict[str, Any] = {"theme": display.theme, "barmode": "group", "bargap": 0.3}
    return chart(traces, words, x, y, height=HEIGHT + 18 * lines, top=16 + 18 * lines, alt=alt, **look)


def _guesses(question: ClassroomVotes, model: Model, display: Display) -> go.Figure:
    """A row of piled dots for each vote, and a line at the truth."""
    traces, words, sentences = [], [], []
    drawn = [(title, [question.plotted_value(guess) for guess in vote]) for title, vote in model.rows]
    turned = question.kind == "drag" and question.truth is not None
    truth, form = (0.0, ".0f") if turned else (question.truth, FORM)
    if question.ends and truth is not None:  # a computed truth has more digits than a scale shows
        truth = round(truth, 3 - math.floor(math.log10(question.ends[1] - question.ends[0])))
    every = [guess for _, vote in drawn for guess in vote] + ([] if truth is None else [truth])
    ends = question.ends or ((-180.0, 180.0) if turned else (0.0, 360.0) if question.kind == "drag" else (min(every), max(every)))
    highest = max(max(Counter(map(_pile, vote)).values()) for _, vote in drawn)
    for row, (colour, (title, vote)) in enumerate(zip(COLOURS, drawn, strict=False)):
        piled: Counter[float] = Counter()
        heights = []
        for guess in vote:
            heights.append(-APART * row + STACKED * piled[_pile(guess)] / highest)
            piled[_pile(guess)] += 1
        traces.append(marks(title, vote, heights, colour=colour, size=8, hover=f"{title}: %{{x:.4g}}"))
        words.append(("●", colour, f"{title}, {len(vote)} {model.answers_in_words}"))
        sentences.append(f"{title}: {len(vote)} guesses from {number(min(vote), form)} to {number(max(vote), form)}")
    low = -APART * (len(drawn) - 1) - 0.2
    if truth is not None:
        traces.append(line("truth", [truth, truth], [low, 1], colour=INK[display.theme], dash="dash", hover="truth: %{x}"))
        words.append(("- -", INK[display.theme], f"truth{'' if turned else f': {number(truth, form)}'}"))
    margin = 0.04 * (ends[1] - ends[0]) or 1.0
    x = axis("degrees from the truth" if turned else _plain(question.label), ends[0] - margin, ends[1] + margin)
    y = axis("", low, 1, **TO_SCALE)
    at = number(question.truth or 0.0, form)
    counted = f" Guesses are in degrees from the truth, which is at {at} degrees." if turned else ""
    told = counted or ("" if truth is None else f" Truth: {number(truth, form)}.")
    alt = f"{_plain(question.text)} {'; '.join(sentences)}.{told}"
    return chart(traces, words, x, y, height=HEIGHT + 60 * len(drawn), theme=display.theme, alt=alt)


def _pile(guess: float) -> float:
    return float(f"{guess:.3g}")


def _plain(text: str) -> str:
    """Markdown with TeX as the words of a figure."""
    return html.escape(re.sub(r"\$([^$]*)\$", lambda tex: _in_a_line(tex[1]), without_marks(text)), quote=False)


def _in_a_line(tex: str) -> str:
    """A formula with its fractions in one line, without TeX's signs."""
    return re.sub(r"[\\{}]", "", re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1)/(\2)", tex))
