"""Every page opens from any link: with the nearest possible settings, and one sentence on what is impossible."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import tab
from tests.shown import PAGES

pytestmark = pytest.mark.usefixtures("workers", "coarse")
NAMES = sorted(path.name for path in PAGES.glob("[0-9]*_*.py"))
NONSENSE = (
    "nan", "1e999", "-1e999", "", "<script>alert(1)</script>", "../../../etc/passwd", "x" * 100_000, "☃\u202eoverlapping",
    "a80_90b", "**bold** [here](javascript:alert(1))", "0x10", "None", "%00", "[1, 2]", "{{7*7}}", "' OR 1=1 --",
)  # fmt: skip
LESSON = {"ask": "<img src=x onerror=alert(1)>" * 50, "lock": "nowhere~../x", "hide": "~~", "answer": "!", "s": "1@@@"}
MARKUP = re.compile(r"(?<!\\)[<\[*]")


def opened(page: str, asked: dict[str, str]) -> AppTest:
    app = AppTest.from_file(str(Path(PAGES) / page), default_timeout=300)
    for key, value in asked.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, app.exception[0].message
    assert not app.error
    assert len(app.title) == 1
    return app


@pytest.mark.parametrize("page", NAMES)
def test_every_setting_of_every_page_survives_nonsense(page: str) -> None:
    plain = opened(page, {})
    known = sorted(plain.session_state[tab.VISIT.name].known - set(LESSON))
    turn = NAMES.index(page)  # what is shared by pages gets other nonsense on each
    asked = {key: NONSENSE[(place + turn) % len(NONSENSE)] for place, key in enumerate(known)}
    app = opened(page, {**asked, **LESSON, "unheard.of": "1"})
    (warned,) = [warning.value for warning in app.warning if "cannot be had" in warning.value]
    assert not MARKUP.search(warned)
    assert len(warned) < 1500
    (question,) = [each.value for each in (*app.markdown, *app.caption) if "alert" in each.value]
    assert question.startswith(r"\<img src=x onerror=alert(1)\>"), "the question is shown to the letter"
    assert not MARKUP.search(question)
    again = opened(page, dict(app.query_params))
    assert not again.warning, "the address that the page has settled on is a good one"
    assert lasting(again) == lasting(app)


def lasting(app: AppTest) -> dict[str, str]:
    """The address without the session's run."""
    return {key: text for key, text in app.query_params.items() if not key.endswith(".run")}
