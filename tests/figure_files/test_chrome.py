"""The headless Chrome of the command line: each request gets its own figure, and no request waits for ever."""

import asyncio
import gc
import json
import os
import re
import signal
import warnings
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest
from choreographer.utils import TmpDirectory, TmpDirWarning

from dml_viz.engine.recordings import RACE_OVER_SEEDS
from dml_viz.export.command import _size
from dml_viz.export.command_host import CommandHost
from dml_viz.export.compose import spec_of_link
from dml_viz.export.picture import browser_picture
from dml_viz.export.request import chart_request, request_of
from dml_viz.figure_files import chrome as module
from dml_viz.figure_files.chrome import ChromeError, HeadlessChrome, find_chrome
from dml_viz.figure_files.formats import FORMATS, declared_format
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import RECORDED, Spec
from dml_viz.plot.style import template
from dml_viz.room.tray import STYLE
from tests.programs import CHROMIUM
from tests.samples import sample

SIZE = {"width": 300.0, "height": 200.0}
COLUMN = ExportOptions(width=3.3, font="serif", points=8.0, palette="light")


def chart(number: int, title: str = "number") -> dict[str, Any]:
    """A chart with its number in it."""
    layout = {"template": template("light"), "xaxis": {"title": {"text": f"{title} {number}"}}}
    figure = go.Figure({"data": [{"type": "scatter", "y": [number, number + 1]}], "layout": layout})
    return dict(json.loads(str(figure.to_json())))


def asked(number: int, form: str = "svg", options: ExportOptions | None = None, title: str = "number") -> dict[str, Any]:
    return request(number, chart(number, title), form, options)


def request(number: int, drawing: dict[str, Any], form: str, options: ExportOptions | None = None) -> dict[str, Any]:
    spec = Spec(f"figure-{number}", "fastap", f"fastap?fastap.bins={number}", title=f"Figure {number}")
    return {
        **chart_request(spec, drawing, f"Number {number}.", SIZE),
        "format": declared_format(form),
        "scale": 3,
        "options": options.write() if options else None,
        "base": "http://app.test/",
    }


@pytest.fixture(scope="module")
def chrome() -> Iterator[HeadlessChrome]:
    if find_chrome() is None:
        CHROMIUM.missing()
    one = HeadlessChrome()
    yield one
    one.close()


def text_of(svg: bytes) -> str:
    return re.sub(r"<[^>]*>", " ", svg.decode())


@pytest.mark.parametrize("form", [name for name, kind in FORMATS.items() if kind.is_drawing])
def test_every_drawing_carries_its_own_spec(form: str, chrome: HeadlessChrome) -> None:
    for number in (1, 2):
        spec = Spec.read(FORMATS[form].read(chrome.draw(asked(number, form))[0]) or "")
        assert spec.figure == f"figure-{number}"
        assert spec.address == f"http://app.test/fastap?fastap.bins={number}"


def test_a_drawing_is_of_text_and_holds_no_image(chrome: HeadlessChrome) -> None:
    file, _ = chrome.draw(asked(3))
    assert re.findall(r"number (\d+)", text_of(file)) == ["3"]
    assert b"<image" not in file


def test_words_that_no_xml_may_have_leave_a_drawing_well_formed(chrome: HeadlessChrome) -> None:
    file, _ = chrome.draw({**asked(3, title="a\0b\x0b\ufffe"), "words": "\0"})
    words = [node.text or "" for node in ElementTree.fromstring(file).iter("{http://www.w3.org/2000/svg}text")]
    assert "ab 3" in words


@pytest.mark.parametrize("name", sample(("gradients-flow", "fastap-pipeline"), 1))
def test_the_least_words_of_a_small_page_are_those_that_its_notes_say(name: str, chrome: HeadlessChrome) -> None:
    with ExitStack() as stack:
        made = browser_picture(spec_of_link(f"{name.partition('-')[0]}#{name}"), CommandHost(stack))
    whole = replace(made.spec, figure=name)
    notes = {}
    for size, most in (("80x60", 6.0), ("slide", 12.0)):
        options = {**STYLE.write(), "height": None, **_size(size), "letters": "words"}
        asks = {"format": declared_format("svg"), "scale": 1, "base": "http://app.test/", "options": options}
        file, notes[size] = chrome.draw({**request_of(made, whole), **asks})
        least = min(letters(ElementTree.fromstring(file)))
        assert least >= most - 0.05
        assert f"The smallest words have {least:.1f}".removesuffix(".0") in notes[size][0]
    assert any("left out" in note for note in notes["80x60"]) == (name == "gradients-flow")
    assert any("60 mm of height" in note for note in notes["80x60"]) == (name == "fastap-pipeline")


def test_the_drawing_of_an_earlier_step_says_how_far_the_race_was_trained(chrome: HeadlessChrome) -> None:
    spec = Spec("race-race-map", "race", "race", run={RECORDED: True}, step=21)
    with ExitStack() as stack:
        made = browser_picture(spec, CommandHost(stack))
    asks = {"format": declared_format("svg"), "scale": 1, "base": "http://app.test/", "options": None}
    file, _ = chrome.draw({**request_of(made, replace(made.spec, figure=spec.figure)), **asks})
    drawn = Spec.read(FORMATS["svg"].read(file) or "")
    assert (drawn.step, drawn.last_step) == (21, RACE_OVER_SEEDS.run.steps)


def test_indices_that_are_hardly_read_are_said(chrome: HeadlessChrome) -> None:
    drawing = chart(3, title="s<sub>p</sub>")
    _, notes = chrome.draw(request(3, drawing, "svg", COLUMN))
    assert notes == ["Indices have 5.6 pt."]


def test_circles_of_small_multiples_are_large_on_a_small_page(chrome: HeadlessChrome) -> None:
    with ExitStack() as stack:
        made = browser_picture(spec_of_link("gradients#gradients-panels"), CommandHost(stack))
    options = {**STYLE.write(), "height": None, **_size("80x60")}
    asks = {"format": declared_format("svg"), "scale": 1, "base": "http://app.test/", "options": options}
    file, _ = chrome.draw({**request_of(made, made.spec), **asks})
    nodes = scaled(ElementTree.fromstring(file))
    widths = [2 * scale * float(node.attrib["r"]) for node, scale in nodes if node.tag.endswith("}circle")]
    assert max(widths) >= 12 / 25.4 * 72  # of 20 mm that a panel has


def scaled(svg: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, float]]:
    """The elements of a drawing, each with the points of a unit of its own."""
    width, (*_, wide, _) = svg.attrib["width"], map(float, svg.attrib["viewBox"].split())
    stack = [(svg, 72 * float(width.removesuffix("in")) / wide)]
    while stack:
        node, scale = stack.pop()
        for factor in re.findall(r"scale\(([\d.]+)", node.get("transform", "")):
            scale *= float(factor)
        yield node, scale
        stack += [(child, scale) for child in node]


def letters(svg: ElementTree.Element) -> Iterator[float]:
    """The sizes, in points, of the words of a drawing, but of halos and of the smaller of the parts of a word."""
    for node, scale in scaled(svg):
        if node.tag.endswith("}text") and not node.get("aria-hidden"):
            styles = [one.get("style", "") for one in (node, *node)]
            sizes = [float(size[1]) for style in styles if (size := re.search(r"font-size:([\d.]+)px", style))]
            yield scale * max(sizes)


def test_a_page_for_a_write_up_has_exactly_the_chosen_width(chrome: HeadlessChrome) -> None:
    file, _ = chrome.draw(asked(7, "pdf", COLUMN))
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file)
    assert box
    assert float(box[1]) == pytest.approx(3.3 * 72, abs=1e-3)
    assert b"/Subtype /Image" not in file
    assert b"DMLSerif" in file
    assert Spec.read(FORMATS["pdf"].read(file) or "").write_up == COLUMN.write()


def test_every_letter_of_a_page_has_a_glyph(chrome: HeadlessChrome) -> None:
    page, _ = chrome.draw(asked(1, "pdf", title="s<sub>p</sub> − m<sup>2</sup> ≤ 2Δ, ∠n′ of α, β"))
    streams = [zlib.decompress(body) for body in re.findall(rb"/FlateDecode.*?stream\n(.*?)\nendstream", page, re.DOTALL)]
    words = b"".join(re.findall(rb"<([0-9a-f]+)> Tj", b"".join(streams)))
    glyphs = [words[at : at + 4] for at in range(0, len(words), 4)]
    assert len(glyphs) > 20
    assert b"0000" not in glyphs


def test_a_page_is_one_figure_that_says_in_words_what_it_shows(chrome: HeadlessChrome) -> None:
    page, _ = chrome.draw(asked(5, "pdf"))
    figure = re.search(rb"/S /Figure /P (\d+) 0 R /Pg \d+ 0 R /K 0 /Alt <feff([0-9a-f]+)>", page)
    assert figure
    assert bytes.fromhex(figure[2].decode()).decode("utf-16-be") == "Number 5."
    assert b"/MarkInfo << /Marked true >> /StructTreeRoot %s 0 R" % figure[1] in page
    assert b"/StructParents 0" in page


def test_a_colour_bar_has_its_colours_on_a_page(chrome: HeadlessChrome) -> None:
    data = [{"type": "heatmap", "z": [[0, 1], [2, 3]], "colorscale": [[0, "#f00"], [0.25, "#fff"], [1, "#00f"]]}]
    page, _ = chrome.draw(request(1, {"data": data, "layout": {}}, "pdf"))
    assert b"/ShadingType 2" in page
    samples = re.search(rb"/FunctionType 0\n.*?stream\n(.*?)\nendstream", page, re.DOTALL)
    assert samples
    colours = bytes.fromhex(zlib.decompress(samples[1]).decode().rstrip(">"))
    places = [colours[at : at + 3].hex() for at in range(0, len(colours), 3)]
    assert (places[0], places[-1]) == ("ff0000", "0000ff")
    assert places.index("ffffff") == pytest.approx((len(places) - 1) / 4, abs=0.5)


def test_a_chrome_that_died_is_replaced(chrome: HeadlessChrome) -> None:
    chrome.draw(asked(1))
    pid = chrome.pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    assert "number 7" in text_of(chrome.draw(asked(7))[0])
    assert chrome.pid not in (None, pid)


def test_what_is_left_of_a_chrome_is_said_to_nobody(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clean = TmpDirectory.clean

    def clean_too_early(folder: TmpDirectory) -> None:
        clean(folder)
        warnings.warn("The temporary directory could not be deleted", TmpDirWarning, stacklevel=2)

    async def fail() -> None:
        raise ConnectionError("a Chrome died")

    async def leave() -> None:
        asyncio.create_task(fail())  # noqa: RUF006 nobody waits for it, as for some of Kaleido's
        await asyncio.sleep(0)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        chrome = HeadlessChrome()
        chrome.draw(asked(1))
        chrome._thread.submit(lambda: chrome._runner.run(leave())).result()
        monkeypatch.setattr(TmpDirectory, "clean", clean_too_early)
        chrome.close()
    monkeypatch.undo()
    gc.collect()
    assert not seen
    assert not capsys.readouterr().err


def test_a_figure_that_cannot_be_drawn_says_why_and_harms_no_other(chrome: HeadlessChrome) -> None:
    with pytest.raises(ChromeError, match=r"could not be drawn: (?!Error)"):
        chrome.draw({**asked(1), "module": "nothing"})
    assert "number 4" in text_of(chrome.draw(asked(4))[0])


def test_where_there_is_no_chrome_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_chrome", lambda: None)
    one = HeadlessChrome()
    with pytest.raises(ChromeError, match="apt-get install chromium"):
        one.draw(asked(1))
    one.close()


def test_where_there_is_no_kaleido_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    one = HeadlessChrome()
    with pytest.raises(ChromeError, match="pip install kaleido"):
        one.draw(asked(1))
    one.close()


async def hanging() -> bytes:
    await asyncio.Event().wait()
    return b""


async def cancelled() -> bytes:
    raise asyncio.CancelledError


async def closed() -> bytes:
    raise BrokenPipeError("the pipe is closed")


def of_chromes(monkeypatch: pytest.MonkeyPatch, *answers: Callable[[], Coroutine[Any, Any, bytes]]) -> None:
    """Let each newly opened Chrome answer as the next of ``answers``; the last one repeats."""
    to_come = list(answers)

    class Chrome:
        def __init__(self) -> None:
            self._answer = to_come.pop(0) if len(to_come) > 1 else to_come[0]

        async def calc_fig(self, *_: Any) -> bytes:
            return await self._answer()

        async def close(self) -> None:
            raise asyncio.CancelledError

    async def open_(self: HeadlessChrome) -> None:
        self._kaleido = Chrome()

    monkeypatch.setattr(HeadlessChrome, "_open", open_)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(hanging, "did not answer in time"), (cancelled, "failed: it ended"), (closed, "failed: the pipe is closed")],
)
def test_a_chrome_that_fails_is_given_up(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[], Coroutine[Any, Any, bytes]], reason: str
) -> None:
    async def drawing() -> bytes:
        return b'["small"]\ndrawn'

    one = HeadlessChrome(draws_within=0.05)
    of_chromes(monkeypatch, answer)
    with pytest.raises(ChromeError, match=reason):
        one.draw(asked(1))
    of_chromes(monkeypatch, answer, drawing)
    assert one.draw(asked(1)) == (b"drawn", ["small"])
    one.close()
