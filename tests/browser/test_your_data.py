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
from tests.served import Server


def npz(**arrays: object) -> FilePayload:
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    return {"name": "mine.npz", "mimeType": "application/zip", "buffer": content.getvalue()}


def test_an_uploaded_file_is_shown_under_a_loss(page: Page, browser: Browser, server: Server) -> None:
    rng = np.random.default_rng(0)
    z, y = rng.standard_normal((60, 8)), np.arange(60) % 6
    page.goto("/your_embeddings")  # its address before
    expect(page).to_have_url(re.compile("/your_data$"))
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
        tab.goto(link.replace("your_data?", "fastap?subject=your+file&"))
        expect(tab.get_by_text(re.compile("This link is about your file"))).to_be_visible()


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
    page.wait_for_function("() => [...document.querySelectorAll('b, strong')].some(one => Number(one.textContent) >= 8)")
    link = page.url
    with somebody(browser, server) as tab:
        tab.goto(link)
        expect(tab.get_by_text(re.compile("This link trains on images with fingerprint"))).to_be_visible()
        expect(tab.get_by_text("digits.zip")).to_have_count(0)
        tab.get_by_role("button", name="Use icons").click()
        expect(tab.get_by_text(re.compile("This link trains"))).to_have_count(0)
        expect(tab.get_by_role("radio", name="Your images")).to_have_count(0)
