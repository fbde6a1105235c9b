"""A visitor's own file: dropped, refused if bad, shown on the pages of losses, and invisible to others."""

import io
import re
import zipfile

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Page, expect
from sklearn.datasets import load_digits

from tests.browser.conftest import somebody
from tests.browser.gestures import still
from tests.samples import THOROUGH, thorough
from tests.served import Server
from tests.waiting import holds


def npz(**arrays: object) -> FilePayload:
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    return {"name": "mine.npz", "mimeType": "application/zip", "buffer": content.getvalue()}


def test_an_uploaded_file_is_shown_under_a_loss(page: Page, browser: Browser, server: Server) -> None:
    rng = np.random.default_rng(0)
    z, y = rng.standard_normal((60, 8)), np.arange(60) % 6
    page.goto("/your_embeddings")  # its address before
    expect(page).to_have_url(re.compile(r"/your_data(\?v=\d+)?$"))
    drop = page.locator("input[type=file]")
    drop.first.set_input_files([{"name": "net.pt", "mimeType": "", "buffer": b"PK"}])
    expect(page.get_by_role("alert").filter(has_text="net.pt is a pickle")).to_be_visible()
    drop.first.set_input_files([npz(z=z, y=y)])
    expect(page.get_by_role("heading", name=re.compile("of 60 rows have a row of their own class nearest"))).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="net.pt")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"file=[0-9a-f]{12}$"))
    drop.first.set_input_files([npz(z=z * np.nan, y=y)])
    expect(
        page.get_by_role("alert").filter(has_text="60 of the 60 rows of mine.npz have a value that is not finite")
    ).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("of 60 rows"))).to_be_visible()
    link = page.url
    still(page)
    page.get_by_test_id("stPageLink").filter(has_text="Pairs").click()
    expect(page.get_by_text("The 60 rows of mine.npz, each divided by its length.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/pairs\?subject=your\+file&file=[0-9a-f]{12}"))
    page.go_back()
    expect(page.get_by_role("heading", name=re.compile("of 60 rows"))).to_be_visible()
    with somebody(browser, server) as tab:
        tab.goto(link)
        expect(tab.get_by_text(re.compile("This link is about a file with fingerprint"))).to_be_visible()
        expect(tab.get_by_text("mine.npz")).to_have_count(0)
        if THOROUGH:
            tab.goto(link.replace("your_data?", "fastap?subject=your+file&"))
            expect(tab.get_by_text(re.compile("This link is about your file"))).to_be_visible()


@thorough
def test_all_rows_of_a_large_file_are_drawn_found_and_saved(page: Page) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(6_000) % 30
    z = rng.standard_normal((30, 8))[y] + 0.4 * rng.standard_normal((6_000, 8))
    page.goto("/your_data")
    # Points come as a message with arrays, once before and once after the rows are ranked.
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/figures/plane/" in request.url else None)
    names = np.array([*(f"kind {k:02}" for k in range(29)), "KIND 07"])
    page.locator("input[type=file]").first.set_input_files([npz(z=z, y=y, names=names)])
    expect(page.locator("figcaption", has_text="6,000 rows of 30 classes")).to_be_visible()
    picture = page.locator(".dml-disc[data-drawn]")
    expect(picture).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("of 6,000 rows have a row of their own class nearest"))).to_be_visible()
    expect(page.locator("option[value=right]:not([disabled])")).to_be_attached()
    assert len(sent) >= 2  # and once more when the map is there
    page.get_by_label("Colour by").select_option("nearest rows")
    expect(page.get_by_text(re.compile(r"rows have none of their class among their nearest"))).to_be_visible()
    page.get_by_label("Find a class or a row").fill("kind 07")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"kind 07 alone: 200 rows"))).to_be_visible()
    picture.focus()
    page.keyboard.press("n")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"row 7: kind 07, \d+ of its 10 nearest"))).to_be_visible()
    page.keyboard.press("Enter")
    listed = page.locator(".dml-points-near li")
    expect(listed).to_have_count(11)  # the row and its nearest
    expect(listed.first).to_contain_text("row 7")
    stop = page.get_by_role("button", name="Stop the work")
    for button in stop.all():  # none where the map is there already
        button.click()
    expect(stop).to_have_count(0)
    still(page)
    page.get_by_label(re.compile("^Export: ")).first.click()
    with page.expect_download() as saved:
        page.locator("[data-format=svg]").click()
    text = saved.value.path().read_text()
    assert text.count("<image") == 1  # 6,000 points are too many for vectors
    with page.expect_download() as saved:
        page.get_by_label(re.compile("^Export: ")).first.click()
        page.locator("[data-format=csv]").click()
    assert saved.value.path().read_text().count("mine.npz,") == 6_000
    page.locator("input[type=file]").first.set_input_files([npz(z=z[:90])])
    expect(page.get_by_role("heading", name="All rows at once: 90 rows without labels")).to_be_visible()
    expect(page.get_by_text("mine.npz has no labels, so nothing is ranked")).to_be_visible()
    expect(picture.locator("path").first).to_be_visible()
    expect(page.locator("option[value=right]:not([disabled])")).to_have_count(0)


def digits() -> FilePayload:
    """A zip of 30 digits of each kind, a folder for each."""
    found, content = load_digits(), io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for kind in range(10):
            for place, image in enumerate(found.images[found.target == kind][:30]):
                png = io.BytesIO()
                Image.fromarray(np.uint8(image * 15)).save(png, "png")
                archive.writestr(f"digits/{kind}/{place}.png", png.getvalue())
    return {"name": "digits.zip", "mimeType": "application/zip", "buffer": content.getvalue()}


@thorough
def test_only_the_visitor_who_uploaded_images_trains_on_them(page: Page, browser: Browser, server: Server) -> None:
    page.goto("/your_data")
    drop = page.locator("input[type=file]")
    drop.first.set_input_files([{"name": "a.zip", "mimeType": "", "buffer": b"PK"}])
    expect(page.get_by_role("alert").filter(has_text="a.zip cannot be read as")).to_be_visible()
    drop.first.set_input_files([digits()])
    expect(page.get_by_role("heading", name=re.compile("300 images of 10 classes"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"own\.file=[0-9a-f]{24}$"))
    still(page)
    page.get_by_test_id("stPageLink").filter(has_text="Train live").click()
    expect(page.get_by_text("Your images, in 64 dimensions")).to_be_visible()
    holds(page, "() => [...document.querySelectorAll('b, strong')].some(one => Number(one.textContent) >= 8)")
    link = page.url
    with somebody(browser, server) as tab:
        tab.goto(link)
        expect(tab.get_by_text(re.compile("This link trains on images with fingerprint"))).to_be_visible()
        expect(tab.get_by_text("digits.zip")).to_have_count(0)
        tab.get_by_role("button", name="Use icons").click()
        expect(tab.get_by_text(re.compile("This link trains"))).to_have_count(0)
        expect(tab.get_by_role("radio", name="Your images")).to_have_count(0)
