"""The main tasks of visitors, with mouse and keyboard."""

import re

from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.browser import passing
from tests.browser.conftest import VIEWPORT, somebody
from tests.browser.gestures import comes_to, still, train_button
from tests.curves import LACKING
from tests.samples import THOROUGH, thorough
from tests.served import Server
from tests.waiting import holds

QUICK = "data=digits&net=mlp&run.dim=3&run.steps=100"
STARTED = re.compile("running|finished")
# A run that ended before the page was drawn has no later step.
LATER = """(before) => {
  const step = Number(/FastAP, step (\\d+)/.exec(document.body.innerText)?.[1]);
  return step > before || step === 300;
}"""

# A file of the picture as it is, at the first step, and at the step of before again, as a film comes to it; and whether the share
# of points whose nearest one in its table is of their class is the one that the picture says.
DRAWN_AGAIN = r"""async (name) => {
  const picture = dmlPictures.get(name);
  const frame = { width: 600, height: 600, family: "sans-serif" };
  const file = async () => (await picture.draw(frame)).map((node) => node.outerHTML).join();
  const { columns, rows } = await picture.table();
  const of = columns.indexOf("class");
  const right = rows.filter((row, i) => {
    const away = rows.map((other, j) => i === j ? Infinity : Math.hypot(row.at(-2) - other.at(-2), row.at(-1) - other.at(-1)));
    return rows[away.indexOf(Math.min(...away))][of] === row[of];
  }).length / rows.length;
  const said = Number(/(\d\.\d\d) in this/.exec(document.querySelector(".dml-embedding .dml-legend").textContent)[1]);
  const [step, first] = [picture.moving.now(), picture.moving.steps()[0]];
  await picture.ready(); // as every export begins
  const before = await file();
  await picture.moving.show(first);
  const between = await file();
  await picture.moving.show(step);
  return { agrees: Math.abs(right - said) < 0.006, before, between, after: await file() };
}"""

# The picture in a file, and its table.
FILES = """async (name) => {
  const picture = dmlPictures.get(name);
  await picture.ready();
  const nodes = await picture.draw({ width: 600, height: 600, family: "sans-serif" });
  return [nodes.map((node) => node.outerHTML).join(), JSON.stringify((await picture.table()).rows)];
}"""


def picture(page: Page) -> Locator:
    """The live picture, once it has drawn."""
    shown = page.locator(".dml-live[data-drawn]")
    expect(shown).to_be_visible()
    return shown


def files_of(page: Page) -> list[str]:
    """The embedding as it is shown, in vectors and as a table."""
    holds(page, "() => window.dmlPictures?.has('train-embedding')")
    files: list[str] = page.evaluate(FILES, "train-embedding")
    return files


def number(page: Page, name: str) -> Locator:
    """One of the numbers above the panels."""
    return page.locator(".dml-number").filter(has_text=re.compile(rf"^{re.escape(name)}(?!s)"))


def train(page: Page, link: str = "/train") -> None:
    page.goto(link)
    picture(page)
    if link == "/train":  # it plays a recording
        train_button(page).click()
    trains(page)
    expect(number(page, "step")).to_contain_text(re.compile(r"^step[1-9]"))


def trains(page: Page) -> None:
    """Wait until the visitor's own run is shown in place of the recorded one; a short one may have ended by then."""
    expect(number(page, "status")).to_contain_text(STARTED)


def until_done(page: Page, steps: int) -> None:
    expect(number(page, "status")).to_contain_text("finished")
    expect(picture(page)).to_have_attribute("data-step", str(steps))


def is_of(page: Page, run: str) -> None:
    """The picture is of ``run``, in these words."""
    expect(number(page, "run")).to_contain_text(re.compile(r"\s*".join(map(re.escape, run.split()))))


def test_a_newcomer_trains_from_the_menu_and_finds_that_run_on_the_fastap_page(page: Page) -> None:
    passing.note_from_the_first(page, ".dml-live[data-step]", "data-step")
    page.goto("/")
    picture(page)
    holds(page, "() => window.dmlNoted.size > 5")  # it moves by itself
    page.get_by_test_id("stTopNav").get_by_role("button", name="Train").click()
    page.get_by_role("menuitem", name="Train live").click()
    expect(number(page, "status")).to_contain_text("recorded run")
    is_of(page, "FastAP on Icons, in 64 dimensions")
    train_button(page).click()
    trains(page)
    expect(number(page, "R@1")).to_contain_text(re.compile(r"\+0\.\d\d over the untrained net; raw pixels 0\.1"))
    page.get_by_test_id("stTopNav").get_by_role("button", name="Losses").click()
    page.get_by_role("menuitem", name="FastAP").click()
    caption = page.get_by_text(re.compile(r"Icons, FastAP, step \d+"))
    before = re.search(r"step (\d+)", caption.first.inner_text())
    assert before
    holds(page, LATER, arg=int(before[1]))


def test_a_step_scrubbed_to_comes_back_by_the_link_reset_goes_to_the_same_start_and_a_new_seed_to_another(
    page: Page, browser: Browser, server: Server
) -> None:
    train(page, "/train?data=digits&net=mlp&run.dim=8&run.steps=100&v=2")
    until_done(page, 100)
    trained = number(page, "R@1").inner_text()
    comes_to(page, LACKING, [])
    slider = page.get_by_label("step shown")
    slider.focus()
    slider.press("Home")
    expect(picture(page)).to_have_attribute("data-step", "0")
    slider.press("ArrowRight")
    shown = picture(page)
    expect(shown).not_to_have_attribute("data-step", "0")
    step = shown.get_attribute("data-step")
    recall = number(page, "R@1").inner_text()
    expect(page).to_have_url(re.compile(rf"\bstep={step}\b"))
    link, files = page.url, files_of(page)
    page.goto("about:blank")
    page.goto(link)
    expect(picture(page)).to_have_attribute("data-step", str(step))
    expect(number(page, "R@1")).to_have_text(recall, use_inner_text=True)
    assert files_of(page) == files
    if THOROUGH:
        with somebody(browser, server) as other:
            other.set_viewport_size(VIEWPORT)  # of which a file has its proportions
            other.goto(link)
            expect(picture(other)).to_have_attribute("data-step", str(step))
            expect(number(other, "R@1")).to_have_text(recall, use_inner_text=True)
            assert files_of(other) == files
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(number(page, "step")).to_contain_text(re.compile(r"^step0of"))
    train_button(page).click()
    until_done(page, 100)
    expect(number(page, "R@1")).to_have_text(trained, use_inner_text=True)
    page.get_by_role("button", name="New seed").click()
    expect(page).to_have_url(re.compile(r"run\.seed=\d+"))


def test_back_undoes_one_change_and_forward_makes_it_again_though_runs_end_meanwhile(page: Page) -> None:
    page.goto("/votes")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    train(page, "/train?data=digits&net=mlp&run.dim=3&run.steps=100&v=2")
    until_done(page, 100)
    page.get_by_role("button", name="New seed").click()
    expect(page).to_have_url(re.compile(r"run\.seed=\d+"))
    train_button(page).click()
    until_done(page, 100)
    expect(page).to_have_url(re.compile(r"\bstep=100"))
    still(page)
    page.go_back()
    expect(page).not_to_have_url(re.compile(r"run\.seed="))
    until_done(page, 100)
    still(page)
    page.go_forward()
    expect(page).to_have_url(re.compile(r"run\.seed=\d+"))
    still(page)
    for _ in range(2):
        page.go_back()
        still(page)
    expect(page).to_have_url(re.compile("/votes"))


def test_a_reload_comes_back_to_the_run_whose_learnt_numbers_have_curves_whose_learning_rate_changes_and_a_recipe_starts_another(
    page: Page,
) -> None:
    train(page, "/train?data=digits&net=mlp&run.dim=3&run.steps=20000&loss=siglip&speed=5")
    holds(page, "() => Number(document.querySelector('.dml-live').dataset.step) >= 15")
    page.reload()
    assert int(picture(page).get_attribute("data-step") or 0) >= 15
    expect(number(page, "status")).to_contain_text("running")
    is_of(page, "SigLIP on Digits, in 3 dimensions")
    for symbol in ("t", "b"):
        expect(page.get_by_text(re.compile(rf"^{symbol} \(learnt\)\s*[−\d.]+$"))).to_be_visible()
    expect(page.get_by_text("learnt by the loss")).to_be_visible()
    rate = page.get_by_role("slider", name=re.compile(r"^learning rate \("))
    rate.focus()
    rate.press("ArrowRight")
    expect(page.get_by_text(re.compile(r"since step \d+: lr"))).to_be_visible()
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(number(page, "status")).to_contain_text("paused")
    still(page)
    page.get_by_role("button", name="Presets").click()
    page.get_by_role("button", name="Proxies at work").click()  # which starts its own run
    expect(number(page, "run")).to_contain_text("Proxy-Anchor")
    trains(page)


def test_without_a_websocket_of_its_own_the_picture_uses_streamlits(page: Page) -> None:
    def refuse(socket: WebSocketRoute) -> None:
        socket.close()

    page.route_web_socket(re.compile(r"/live/"), refuse)
    page.goto("/train?v=2&data=digits&net=mlp&run.dim=8&run.steps=100")
    picture(page)
    until_done(page, 100)
    expect(page.locator(".dml-embedding")).to_contain_text(re.compile(r"in 8 dimensions, \d\.\d\d in this map"))
    drawn = page.evaluate(DRAWN_AGAIN, "train-embedding")
    assert drawn["agrees"]
    assert drawn["before"] == drawn["after"] != drawn["between"]
    if THOROUGH:
        page.get_by_role("radio", name="plane", exact=True).click()
        expect(page.locator(".dml-embedding")).to_contain_text(re.compile(r"\d\.\d\d in this plane"))
        drawn = page.evaluate(DRAWN_AGAIN, "train-embedding")
        assert drawn["agrees"]
        assert drawn["before"] == drawn["after"] != drawn["between"]


@thorough
def test_the_choice_of_points_shown_is_in_the_link(page: Page) -> None:
    page.goto("/train?data=digits&net=mlp&run.dim=2&run.steps=100&loss=proxy_anchor")
    picture(page)
    is_of(page, "Proxy-Anchor on Digits, in 2 dimensions")
    trains(page)
    page.get_by_role("button", name="images", exact=True).click()
    page.get_by_role("radio", name="seen classes", exact=True).click()
    expect(page.locator(".dml-number", has_text="R@1 on seen classes")).to_be_visible()  # the chips are of these classes now
    chosen = page.locator(".dml-embedding .dml-chip[aria-pressed]").nth(2)
    chosen.click()
    expect(page).to_have_url(re.compile(r"train\.view=seen~images~\d"))
    words = chosen.text_content()
    page.goto(page.url)
    picture(page)
    expect(page.get_by_role("radio", name="seen classes", exact=True)).to_have_attribute("aria-checked", "true")
    expect(page.get_by_role("button", name="images", exact=True)).to_have_attribute("aria-pressed", "true")
    only = page.locator(".dml-embedding .dml-chip[aria-pressed=true]", has_text=re.compile(f"^{words}$"))
    expect(only).to_be_visible()
