"""The link of a spec, which strangers write in trays and files, leads to pages of the app alone."""

import json

import pytest

from dml_viz.export.compose import Tray
from dml_viz.figure_files.spec import Spec, linked

HOSTILE = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "\x01javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>", "vbscript:x", "blob:https://x/y", "https://evil.example", "//evil.example",
    "/\\evil.example", "\\\\evil.example", "/train", "../train", "train/../..", "train#x", "train?a=b\nc", "train?a= b",
    "https:train", "javascript://%0aalert(1)", "train:x?y", "tr\u0430in", '"><script>alert(1)</script>', "train?\\evil",
)  # fmt: skip
OWN = (
    "",
    "./",
    "train",
    "fastap?fastap.bins=20",
    "your_formula?formula=mean%28s_n%29",
    "compose?tray=a~b-c",
    "./?seed=1",
    "?seed=1",
)


@pytest.mark.parametrize("link", HOSTILE)
def test_a_link_that_leads_elsewhere_is_refused(link: str) -> None:
    given = Spec("circle", "angular", link).write()
    with pytest.raises(ValueError, match="the recipe's link is"):
        Spec.read(json.dumps(given))
    panel = {name: given[name] for name in ("figure", "page", "link", "title")}
    with pytest.raises(ValueError, match="the recipe's link is"):
        Tray.read({"panels": [panel], "columns": 2, "letters": "(a)", "options": None})


@pytest.mark.parametrize("link", OWN)
def test_a_link_to_a_page_with_settings_is_read(link: str) -> None:
    assert Spec.read(json.dumps(Spec("circle", "angular", link).write())).link == link


def test_every_link_that_is_written_is_read() -> None:
    link = linked("train", {"a": "ü \n\"<>\\'&#?//javascript:", "b": "🎯"})
    assert Spec.read(json.dumps(Spec("circle", "angular", link).write())).link == link
