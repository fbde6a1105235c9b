"""Files that need no server, opened from the disk in a browser that is offline: as a visitor has them."""

import csv
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, ViewportSize, expect

from dml_viz.explain.fastap import ROOM
from dml_viz.export.command_host import CommandHost
from dml_viz.export.demo import write_demo
from dml_viz.export.lesson_file import LIVE
from dml_viz.export.lesson_stations import LessonResources
from dml_viz.export.picture import browser_picture
from dml_viz.export.take import lesson_file_of_link
from dml_viz.figure_files.formats import read_spec
from tests import chromium, firefox
from tests.axe import grave
from tests.browser.gestures import painted
from tests.browser.test_hostile import FOUND
from tests.hostile import TEX, WORDS
from tests.room_cases import said
from tests.samples import THOROUGH, sample, thorough
from tests.space import LONGEST_WAIT

WIDE, PHONE = ViewportSize(width=1366, height=768), ViewportSize(width=390, height=844)
STRANGE = re.sub(r"\s+", " ", " ".join((*WORDS, *TEX)))
LESSON = f"""# {STRANGE}
{STRANGE}
## {STRANGE}
Do {STRANGE}
link: /pairs
ask: {STRANGE}
- {STRANGE} *
- b
answer: {STRANGE}
"""
RACE = "beyond_one_loss?method=tree"
OVERFLOW = "() => document.documentElement.scrollWidth - innerWidth"
FRAME = '<!doctype html><title>A slide</title><iframe sandbox="allow-scripts" src="%s" width="1000" height="700"></iframe>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The demo, and a scene, a lesson and a lesson of a stranger as files of their own, without the figures of a Chrome."""
    made = tmp_path_factory.mktemp("files")
    (made / "strange.txt").write_text(LESSON)
    with ExitStack() as stack:
        host = CommandHost(stack)
        write_demo(made / "demo", host, LessonResources())
        for name, link in (("fastap", "fastap"), ("first", "first"), ("strange", str(made / "strange.txt")), ("race", RACE)):
            (made / f"{name}.html").write_bytes(lesson_file_of_link(link, host, LessonResources()))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    chromium.needed(playwright)
    opened = chromium.launch(playwright)
    assert opened
    yield opened
    opened.close()


@contextmanager
def tab_of(browser: Browser, path: Path, *, at: str = "", faults: bool = False, **options: Any) -> Iterator[Page]:
    """A tab with a file; nothing in it asks for anything elsewhere, and without ``faults`` nothing complains."""
    asked: list[str] = []
    complaints: list[str] = []
    context = browser.new_context(**{"viewport": WIDE, **options})
    context.set_default_timeout(LONGEST_WAIT)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url.partition(":")[0]))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{path.as_uri()}{at}")
    yield page
    context.close()
    assert set(asked) <= {"file", "data", "blob"}
    assert faults or not complaints


def note(page: Page) -> str:
    return page.locator(".dml-scene-note").first.inner_text()


def nudge(page: Page, key: str = "ArrowLeft", times: int = 3) -> None:
    """Move the first point of the scene by the keys, and wait until all follows."""
    page.locator(".dml-scene-points [data-handle]").first.focus()
    for _ in range(times):
        page.keyboard.press(f"Shift+{key}")
    painted(page)


def test_scenes_without_a_server_follow_their_points_and_undo(browser: Browser, folder: Path) -> None:
    first, *others = sample(LIVE, 3)  # `tests/room/test_in_browser.py` holds all to Python
    with tab_of(browser, folder / "demo" / f"{first}.html", offline=True) as page:
        for name in (first, *others):
            if name != first:
                page.goto((folder / "demo" / f"{name}.html").as_uri())
            expect(page.locator(".dml-scene-note").first).not_to_be_empty()
            before, claim = note(page), page.locator(".dml-claim").first.inner_text()
            line = page.locator(".dml-line-of").inner_text()
            nudge(page)
            expect(page.locator(".dml-line-of")).not_to_have_text(line)
            assert note(page) != before
            page.keyboard.press("Control+z")  # all moves of a key that is held are one
            expect(page.locator(".dml-line-of")).to_have_text(line)
            expect(page.locator(".dml-claim").first).to_have_text(claim)
            assert note(page) == before


def test_presets_and_knobs_say_what_the_page_says(browser: Browser, folder: Path) -> None:
    preset = next(each for each in ROOM.presets if each.label == "Too few bins")
    settings = {key: value for key, value in preset.settings.items() if key != "subject"}
    told = said(ROOM, settings, preset.label)["says"]
    with tab_of(browser, folder / "fastap.html", offline=True) as page:
        page.get_by_role("button", name=preset.label).click()
        says = page.locator(".dml-says")
        expect(says).to_have_text(f"{preset.label}. {told.replace('**', '').replace('*', '')}")
        page.locator("[data-key='fastap.bins'] input").focus()
        page.keyboard.press("ArrowRight")
        expect(says).to_contain_text("Before your changes.")
        expect(page.locator("[data-key='fastap.bins'] output")).not_to_have_text(str(settings["fastap.bins"]))


def test_a_question_of_the_page_is_answered_by_keys_alone(browser: Browser, folder: Path) -> None:
    with tab_of(browser, folder / "fastap.html", offline=True) as page:
        page.get_by_label("Predict").select_option("More bins: more gradients?")
        page.get_by_role("radio", name="fewer").focus()
        page.keyboard.press("Space")
        for button in ("Lock", "Reveal"):
            page.get_by_role("button", name=button, exact=True).focus()
            page.keyboard.press("Enter")
        expect(page.locator(".dml-verdict")).to_contain_text(re.compile(r"(Right|Not so).*\. .*\d"))
        expect(page.locator("[data-key='fastap.bins'] output")).to_have_text("100")
        page.get_by_role("button", name="Ask again").click()
        expect(page.locator("[data-key='fastap.bins'] output")).to_have_text("10")


def test_a_file_saves_its_figures_itself(browser: Browser, folder: Path, tmp_path: Path) -> None:
    with tab_of(browser, folder / "fastap.html", offline=True) as page:
        for form in ("svg", "png", "csv"):
            page.locator(".dml-export-button").first.click()
            with page.expect_download() as download:
                page.locator(f"[data-format={form}]").first.click()
            path = tmp_path / f"figure.{form}"
            download.value.save_as(path)
            assert read_spec(path).figure == "fastap"
        rows = list(csv.reader(line for line in path.read_text("utf-8-sig").splitlines() if not line.startswith("#")))
        assert len(rows) > 13
        page.locator("input[type=range]").first.press("End")
        page.get_by_role("slider", name="point #6,").press("Shift+ArrowRight")
        expect(page.locator("footer code").last).to_have_text(re.compile(r"^fastap\?fastap\.at=\S+&fastap\.bins=100&"))
        page.locator(".dml-export-button").first.click()
        with page.expect_download() as download:
            page.locator("[data-format=svg]").first.click()
        download.value.save_as(tmp_path / "changed.svg")
        spec, link = read_spec(tmp_path / "changed.svg"), page.locator("footer code").last.text_content()
    with ExitStack() as stack:
        made = browser_picture(spec, CommandHost(stack))
    assert (spec.link, spec.address, spec.caption) == (link, "", made.spec.caption), "what was changed is made again"


def test_the_charts_of_a_run_are_saved_as_tables_too(browser: Browser, folder: Path, tmp_path: Path) -> None:
    with tab_of(browser, folder / "first.html", at="#9", offline=True) as page:
        page.get_by_role("spinbutton").or_(page.get_by_role("slider")).first.press("ArrowRight")
        page.get_by_role("button", name="Lock").click()
        page.get_by_role("button", name="Reveal").click()
        menu = page.locator(".dml-export[data-figure=train-curves]")
        menu.locator(".dml-export-button").click()
        with page.expect_download() as download:
            menu.locator("[data-format=csv]").click()
        text = Path(download.value.path()).read_text("utf-8-sig")
        assert "R@1 unseen" in text


@pytest.mark.parametrize(("scheme", "at"), [("light", "#2"), ("dark", "")])
def test_a_lesson_is_readable_in_both_themes_and_fits_a_phone(scheme: str, at: str, browser: Browser, folder: Path) -> None:
    options: dict[str, Any] = {"color_scheme": scheme, "reduced_motion": "reduce", "offline": True, "viewport": PHONE}
    with tab_of(browser, folder / "first.html", at=at, **options) as page:
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator(".dml-station")).to_be_visible()
        assert page.evaluate(OVERFLOW) <= 0
        assert grave(page, rests=False) == []
        assert page.evaluate("() => document.documentElement.dataset.shown") == scheme


def test_the_stations_of_a_lesson_are_kept_and_counted(browser: Browser, folder: Path) -> None:
    with tab_of(browser, folder / "first.html", at="#2", offline=True) as page:
        page.get_by_role("radio").first.check(force=True)
        page.get_by_role("button", name="Lock").click()
        page.get_by_role("button", name="Reveal").click()
        verdict = page.locator(".dml-verdict").inner_text()
        [says] = page.evaluate(
            "() => [JSON.parse(document.querySelector('#dml-viz-data').textContent).stations[1].question.says]"
        )
        assert says.replace("*", "") in verdict, "what the truth says follows what is said of the answer"
        page.get_by_role("button", name="Next", exact=True).click()
        expect(page.locator(".dml-station-title")).to_contain_text("3 of 9")
        page.keyboard.press("Alt+ArrowLeft")
        expect(page.locator(".dml-verdict")).to_have_text(verdict)
        expect(page).to_have_url(re.compile("#2$"))
        page.go_back()
        expect(page.locator(".dml-station-title")).to_contain_text("3 of 9")
        page.evaluate("() => { location.hash = '#1' }")
        expect(page.locator(".dml-station-title")).to_contain_text("1 of 9")


def test_a_saved_race_makes_its_neighbour_maps(browser: Browser, folder: Path) -> None:
    with tab_of(browser, folder / "race.html", offline=True) as page:
        expect(page.get_by_text(", in the map")).to_have_count(2, timeout=LONGEST_WAIT)


def test_a_file_works_in_a_frame_that_may_only_run_scripts(browser: Browser, folder: Path) -> None:
    slide = folder / "slide.html"
    slide.write_text(FRAME % "first.html#2")
    with tab_of(browser, slide, offline=True) as page:
        inside = page.frame_locator("iframe")
        expect(inside.locator(".dml-station-title")).to_contain_text("2 of 9")
        inside.get_by_role("button", name="Dark").click()
        expect(inside.get_by_role("button", name="Light")).to_be_visible()


def test_a_file_that_is_cut_or_changed_by_hand_says_so(browser: Browser, folder: Path) -> None:
    whole = (folder / "fastap.html").read_text()
    end = whole.index('id="dml-viz-end"')
    data = whole.index('id="dml-viz-data"')
    cases = {
        "cut behind its script": (whole[: end - 20], "cut short"),
        "cut within its script": (whole[: whole.index("<script>") + 50_000], "cut short"),
        "cut within its data": (whole[: data + 9_000], "cut short"),
        "other words": (whole.replace('"title":"FastAP"', '"title":"SlowAP"'), "changed by hand"),
        "no data": (whole[:data] + whole[data:].replace('{"title"', '{"title', 1), "changed after it was written"),
        "another script": (whole.replace("<script>", "<script>window.dmlOwned = 1;", 1), "was changed"),
    }
    path = folder / "bad.html"
    path.write_text("")
    with tab_of(browser, path, faults=True, offline=True) as page:
        one_of_each_sentence = {words: name for name, (_, words) in cases.items()}.values()
        for name in cases if THOROUGH else one_of_each_sentence:
            text, words = cases[name]
            path.write_text(text)
            page.reload()
            expect(page.get_by_role("alert"), name).to_contain_text(words)
            assert page.evaluate("() => window.dmlOwned ?? null") is None, name


def test_words_of_strangers_run_nothing_in_a_file(browser: Browser, folder: Path) -> None:
    with tab_of(browser, folder / "strange.html", offline=True) as page:
        expect(page.locator(".dml-question")).to_contain_text("evil")
        page.get_by_role("radio").first.check(force=True)
        page.get_by_role("button", name="Lock").click()
        page.get_by_role("button", name="Reveal").click()
        expect(page.locator(".dml-verdict")).not_to_be_empty()
        assert page.evaluate(FOUND) == []


def test_the_demo_opens_from_a_disk_and_explains_itself(browser: Browser, folder: Path) -> None:
    assert sum(path.stat().st_size for path in (folder / "demo").rglob("*") if path.is_file()) < 6_000_000
    with tab_of(browser, folder / "demo" / "index.html", viewport=PHONE, offline=True) as page:
        assert page.evaluate(OVERFLOW) <= 0
        assert grave(page, rests=False) == []
        assert page.evaluate("() => [...document.images].every((one) => one.loading === 'lazy' || one.naturalWidth)")
        page.get_by_role("link", name=re.compile("first lesson")).click()
        expect(page.locator(".dml-station-title")).to_contain_text("1 of 9")
        page.go_back()
        page.get_by_role("link", name="Gallery").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Gallery")


@thorough
def test_firefox_opens_the_demo_and_a_file_from_a_disk(playwright: Playwright, folder: Path, tmp_path: Path) -> None:
    opened = firefox.launch(playwright, tmp_path)
    try:
        page = opened.new_page(viewport=WIDE)
        page.set_default_timeout(LONGEST_WAIT)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        for path in (folder / "demo" / "pairs.html", folder / "fastap.html"):
            page.goto(path.as_uri())
            expect(page.locator(".dml-scene-note").first).not_to_be_empty()
            line = page.locator(".dml-line-of").inner_text()
            nudge(page)
            expect(page.locator(".dml-line-of")).not_to_have_text(line)
        page.goto((folder / "first.html").as_uri())
        expect(page.locator(".dml-station-title")).to_contain_text("1 of 9")
        expect(page.get_by_role("button", name="Lock")).to_be_visible()
        assert not faults
    finally:
        opened.close()
