"""A visitor's own training loop on the page: awaited, live, diagnosed, scrubbed, and raced with another."""

import re
import time
from threading import Event

import pytest
import torch
from playwright.sync_api import Page, expect
from torch import Tensor, nn

from dml_viz import watch
from dml_viz.engine.watched import viewer_of
from dml_viz.training.watch import pace, sender
from dml_viz.training.watch.hook import Watching
from tests.browser.gestures import still
from tests.served import WATCH_TOKEN, Server
from tests.space import LONGEST_WAIT

Y = torch.arange(6).repeat_interleave(5)
FRAMES = 4


class Contrastive(nn.Module):
    """A loss that fails at the end."""

    fails = False

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        same = y[:, None] == y
        value = torch.where(same, torch.cdist(z, z), (1 - torch.cdist(z, z)).relu()).mean()
        return value * torch.nan if self.fails else value


def train(server: Server, title: str) -> Watching:
    """A loop with a probe whose frames have arrived, the last one of a loss that is not finite."""
    net, loss = nn.Linear(8, 3), Contrastive()
    x = torch.randn(len(Y), 8) + Y[:, None]
    watching = watch(loss, net=net, probe=(x, Y), every=1, name=title, to=f"{server.url}/#{WATCH_TOKEN}")
    for number in range(1, FRAMES + 1):
        loss.fails = number == FRAMES
        while watching.sender.delivered < number:
            loss(net(x), Y).backward()
            again = time.monotonic() + LONGEST_WAIT / 1000 / 2  # for a frame that the app refused
            while watching.sender.delivered < number and time.monotonic() < again:
                Event().wait(0.01)  # the next frame would take its place
    return watching


def test_a_loop_appears_is_diagnosed_and_scrubbed_and_races_another(
    page: Page, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "APART", 0.0)
    monkeypatch.setattr(sender, "APART_AT_FIRST", 0.0)
    monkeypatch.setattr(pace, "SHARE", 1e9)
    page.goto(f"/train?watch={viewer_of(WATCH_TOKEN)}")
    expect(page.get_by_text("No training loop has sent a frame yet")).to_be_visible()
    first = train(server, "my first loss")
    expect(page.locator(".dml-live[data-drawn]")).to_be_visible()
    expect(page.get_by_label("Your training loop")).to_be_visible()
    expect(page.locator(".dml-notes")).to_contain_text("the loss is not finite")
    slider = page.get_by_label("step shown")
    slider.press("Home")
    expect(page.locator(".dml-step")).to_have_text("step 1")
    expect(page).to_have_url(re.compile("watch.step=1(&|$)"))
    first.remove()
    train(server, "my second loss").remove()
    expect(page.get_by_text("my second loss").first).to_be_attached()
    still(page)
    page.get_by_role("link", name="Your loops side by side, as a race").press("Enter")  # as a click, wherever it moves
    expect(page.locator(".dml-race-headline")).to_contain_text("2 training loops")
    for title in ("my first loss", "my second loss"):
        expect(page.locator(".dml-racer-name").filter(has_text=title)).to_be_visible()
