"""What strangers write in links, trays, lessons and files leads to pages of the app alone, and makes no styles."""

import json

import pytest

from dml_viz.app import presentation
from dml_viz.figure_files.spec import Spec, linked
from dml_viz.room import task
from dml_viz.room.task import HIDE, LOCK, Task
from dml_viz.room.tray import Tray
from tests.hostile import LINKS, ODD_LINKS, STYLES
from tests.javascript import Evaluate
from tests.samples import for_each

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


@for_each("link", [*LINKS, *ODD_LINKS])
def test_a_link_that_leads_elsewhere_is_refused(link: str) -> None:
    given = Spec("circle", "angular", link).write()
    with pytest.raises(ValueError, match="the recipe's link is"):
        Spec.read(json.dumps(given))
    panel = {name: given[name] for name in ("figure", "page", "link", "title")}
    with pytest.raises(ValueError, match="the recipe's link is"):
        Tray.read({"panels": [panel], "columns": 2, "letters": "(a)", "options": None})


@for_each("link", OWN)
def test_a_link_to_a_page_with_settings_is_read(link: str) -> None:
    assert Spec.read(json.dumps(Spec("circle", "angular", link).write())).link == link


def test_every_link_that_is_written_is_read() -> None:
    link = linked("train", {"a": "ü \n\"<>\\'&#?//javascript:", "b": "🎯"})
    assert Spec.read(json.dumps(Spec("circle", "angular", link).write())).link == link


def test_the_browser_takes_only_addresses_of_this_server_from_a_tray(evaluate: Evaluate) -> None:
    body = """
      globalThis.document = { baseURI: "http://here:8501/class/compose" };
      const { ownAddress } = await asset("export/tray.js");
      return given.map((link) => ownAddress(link) ?? null);
    """
    elsewhere = [*LINKS, "http://here:8502/", "https://here:8501/", "http://here:8501@evil.example/", "blob:http://here:8501/x"]
    assert evaluate(body, elsewhere) == [None] * len(elsewhere)
    assert all(address.startswith("http://here:8501/") for address in evaluate(body, [*OWN, *ODD_LINKS]))


@for_each("key", STYLES)
def test_no_key_of_a_link_is_more_of_a_style_than_a_name(key: str) -> None:
    read, wrong = Task.read({HIDE: key, LOCK: key})
    assert (read, len(wrong)) == (Task(), 2)
    style = task.hiding([key]).removeprefix("<style>.st-key-").removesuffix(" { display: none !important; }</style>")
    assert not set(style) & set("{}<>;:,()/\\ \n*")
    for knob in (presentation.KEY, presentation.KEYS):
        assert knob.error_for(key)
