"""Text in one line keeps what belongs to its letters."""

import pytest

from dml_viz.data.one_line import in_one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" one\n two\tthree ", "one two three"),
        ("می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"),
        ("loss\u202e evil\u2069", "loss evil"),
        ("a\u2028b\x00c", "a b c"),
    ],
)
def test_joiners_stay_and_breaks_become_blanks(text: str, line: str) -> None:
    assert in_one_line(text) == line
