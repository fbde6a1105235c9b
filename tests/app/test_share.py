"""Share gives a link, a short form of it, a QR code, and lessons of ticked items."""

import base64
import hashlib
import re
import zlib

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import presentation, share_address
from dml_viz.app.share import OWN, links_to_page
from dml_viz.room.short_link import LONGEST, WORDS, compress, expand
from dml_viz.room.task import Task
from tests.samples import for_each
from tests.shown import given

SETTINGS = {
    "pairs.loss": "circle",
    "pairs.scene": "a far negative",
    "loss.circle.margin": "0.25",
    "pairs.anchor": "0",
    "pairs.positive": "1",
    "pairs.negative": "2",
}
WRITTEN = "1w-lcsAWJ2mmJRQjTwWkDmk0RScYU1cUG6D4yRPezEQCRuw"


def page_with_share() -> None:
    from dml_viz.app.controls import PageControls
    from dml_viz.app.page import page

    with page("Shared", "It is handed out."):
        PageControls().choice("scene", "Scene", ("a", "b"), "a")
        PageControls().number("query", "Query", 0, 12, 3)


def page_with_open_dialog() -> None:
    import streamlit as st

    from dml_viz.app import share
    from dml_viz.app.controls import PageControls
    from dml_viz.app.page import page

    with page("Shared", "It is handed out."):
        PageControls().choice("scene", "Scene", ("a", "b"), "a")
        PageControls().number("query", "Query", 0, 12, 3)
        st.session_state.setdefault(share.COLOUR, share.OWN)
        share.draw_dialog()


def shared(**asked: str) -> AppTest:
    """The page with the content of the dialog, which does not stay open without a browser."""
    app = AppTest.from_function(page_with_open_dialog)
    for key, value in asked.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def clicked(app: AppTest) -> AppTest:
    app.button(key="share.open").click().run()
    assert not app.exception
    return app


def handed_out(app: AppTest) -> dict[str, str]:
    (data,) = [one for one in given(app) if "short" in one]
    return data


def test_a_short_form_holds_the_whole_link() -> None:
    for settings in (SETTINGS, {}, {"ask": "Why? – ünïcödé 🎯 &=#"}, {"empty": ""}, {"x": "y" * 5000}):
        assert expand(compress(settings)) == settings
        assert re.fullmatch(r"[\w-]+", compress(settings), re.ASCII)


def test_short_forms_of_earlier_versions_are_still_read() -> None:
    assert hashlib.sha256(WORDS).hexdigest()[:16] == "d4e444e41e1cdf70", "add another list beside it; this one is for good"
    assert expand(WRITTEN) == SETTINGS
    assert len(WRITTEN) < 50 < len(links_to_page("", SETTINGS).link)


BOMB = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=WORDS)
UNPACKED = BOMB.compress(b"a" * 100 * LONGEST) + BOMB.flush()
MALFORMED = {
    "cut off": WRITTEN[:-3],
    "a letter wrong": WRITTEN.replace("lcs", "lcS"),
    "empty": "",
    "of another kind": "2" + WRITTEN[1:],
    "no such letters": "1<script>",
    "more behind it": WRITTEN + "AAAA",
    "unpacks to too much": "1" + base64.urlsafe_b64encode(UNPACKED).decode().rstrip("="),
}


@for_each("text", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_short_form_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="short form is not whole or not right"):
        expand(text)
    app = AppTest.from_function(page_with_share)
    app.query_params["s"] = text
    app.run()
    assert not app.exception
    assert "short form" in app.warning[0].value
    assert dict(app.query_params) == {}


def test_a_page_opened_by_a_short_form_equals_that_of_its_link_and_has_the_full_link_in_the_address() -> None:
    app = AppTest.from_function(page_with_share)
    app.query_params["s"] = compress({"scene": "b", "query": "7", "ask": "Why?"})
    app.run()
    assert not app.warning
    assert (app.segmented_control(key="scene").value, app.slider(key="query").value) == ("b", 7)
    assert dict(app.query_params) == {"scene": "b", "query": "7", "ask": "Why?"}


def test_the_short_form_and_the_code_hold_the_shorter_link() -> None:
    given = links_to_page("https://example.org/pairs", SETTINGS, "dark")
    assert given.link.startswith("https://example.org/pairs?loss.circle.margin=0.25&")
    assert given.link.endswith("&embed_options=dark_theme")
    assert given.short == f"https://example.org/pairs?s={WRITTEN}&embed_options=dark_theme"
    assert given.code.startswith("data:image/svg+xml")
    assert "<script" not in given.code
    plain = links_to_page("https://example.org/pairs", {}, OWN)
    assert (plain.link, plain.short) == ("https://example.org/pairs", "")


def test_a_link_too_long_for_a_code_has_none() -> None:
    import random

    digits = "".join(random.Random(0).choices("0123456789", k=9000))
    assert links_to_page("https://example.org/", {"scene": digits}).code == ""


def test_the_dialog_shares_the_page_in_its_state() -> None:
    app = AppTest.from_function(page_with_share).run()
    app.slider(key="query").set_value(9).run()
    assert handed_out(clicked(app))["link"].endswith("?query=9")


def test_colours_go_into_the_link_where_they_are_chosen() -> None:
    app = shared(scene="b")
    assert "embed_options" not in handed_out(app)["link"]
    app.segmented_control(key="share.colours").set_value("dark").run()
    assert handed_out(app)["link"].endswith("embed_options=dark_theme")


def test_a_lesson_is_ticked_together_and_opens_as_ticked() -> None:
    app = shared(scene="b")
    app.text_input(key="share.ask").set_value("Which *point*?").run()
    app.text_input(key="share.answer").set_value("The nearest.").run()
    app.segmented_control(key="share.of.scene").set_value("locked").run()
    app.segmented_control(key="share.of.query").set_value("hidden").run()
    from urllib.parse import parse_qsl, urlsplit

    settings = dict(parse_qsl(urlsplit(handed_out(app)["link"]).query))
    assert settings == {"scene": "b", **Task("Which *point*?", "The nearest.", ("scene",), ("query",)).write()}
    opened = AppTest.from_function(page_with_share)
    for key, value in settings.items():
        opened.query_params[key] = value
    opened.run()
    assert opened.segmented_control(key="scene").disabled
    assert not opened.slider
    assert r"Which \*point\*?" in [text.value for text in opened.markdown]


def page_with_many_controls() -> None:
    import streamlit as st

    from dml_viz.app import share, url_state
    from dml_viz.app.controls import PageControls
    from dml_viz.app.page import page
    from dml_viz.losses.triplet import Triplet

    with page("Shared", "It is handed out."):
        PageControls().choice("fastap.kind", "Binning", ("soft", "half"), "soft", named={"half": "ends at 2"})
        PageControls().knobs(Triplet, "loss.triplet")
        PageControls().knobs(Triplet, "other")
        for key, value in {"racers": "triplet~fastap", "example.dim": 2, "step": -1, "low": -0.5}.items():
            st.session_state[key] = value
        url_state.register_control("racers", "racers")
        url_state.register_control("example.dim", "circle or sphere", {2: "circle", 3: "sphere"})
        url_state.register_control("step", "step of the run", {-1: "the newest"})
        url_state.register_control("low", "least")
        st.session_state.setdefault(share.COLOUR, share.OWN)
        share.draw_dialog()


def test_the_rows_of_a_lesson_have_the_labels_of_their_controls_and_no_names_of_code() -> None:
    app = AppTest.from_function(page_with_many_controls)
    app.query_params["fastap.kind"] = "half"
    app.run()
    assert not app.exception
    rows = [text.value for text in app.text]
    assert {"Binning: ends at 2", "racers", "circle or sphere: circle", "step of the run: the newest", "least: −0.5"} <= {*rows}
    assert "margin, Triplet: 0.2" in rows
    assert "margin, other: 0.2" in rows
    assert not [row for row in rows if re.search(r"[~=_]|\w\.[a-z]", row)]


def test_all_controls_are_locked_at_one_click() -> None:
    app = shared()
    app.button(key="share.all.locked").click().run()
    assert "lock=scene~query" in handed_out(app)["link"]


@for_each(
    ("url", "of_this_machine"),
    [
        ("http://localhost:8501/fastap?x=1", True),
        ("http://127.0.0.1:8501/", True),
        ("http://127.8.8.8/", True),
        ("http://[::1]:8501/", True),
        ("http://192.168.1.5:8501/", False),
        ("https://example.org/localhost", False),
        ("/", False),
    ],
)
def test_an_address_of_this_machine_is_known(url: str, of_this_machine: bool) -> None:
    assert share_address.is_of_this_machine(url) == of_this_machine


def test_the_network_s_address_is_offered_where_the_server_listens_there() -> None:
    url = "http://localhost:8501/fastap?x=1"
    there = "http://192.168.1.5:8501/fastap?x=1"
    assert share_address.address_in_network(url, None, "192.168.1.5") == there
    assert share_address.address_in_network(url, "0.0.0.0", "192.168.1.5") == there
    assert share_address.address_in_network(url, "192.168.1.5", "10.0.0.1") == there
    assert share_address.address_in_network(url, "localhost", "192.168.1.5") == ""
    assert share_address.address_in_network(url, None, "127.0.0.1") == ""
    assert share_address.address_in_network(url, None, None) == ""


def test_one_figure_is_shared_for_slides() -> None:
    assert presentation.iframe_of('https://x.org/?a=1&only=f"') == (
        '<iframe src="https://x.org/?a=1&amp;only=f&quot;" width="100%" height="520" style="border: 0" loading="lazy"></iframe>'
    )
