"""Versions of a page's links, for a page whose defaults have changed. No Streamlit here.

A link leaves out what is at its default, so that it must say of which defaults: a page with `Versions` writes its version into
all of its links. A link without one was written before there were versions, and keeps the defaults of then.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dml_viz.room import task

KEY = "v"
AT = "figure"  # the figure that a page scrolls to, once
FIRST = "1"  # the version of links that carry none
TRAIN = OWN = "2"  # the newest version of links to Train live, and to Your data
# Settings of every page that stay when the page is opened anew: its task, its lesson, and how much of it is shown.
OF_PAGES = (*task.NAMES, "lesson", "station", "present", "only", "knobs")
# Settings that every page has, which say nothing on a page's own: a link with these alone opens the page as it opens today.
OF_THE_FRAME = frozenset((KEY, AT, *OF_PAGES, "predict", "embed", "embed_options"))


@dataclass(frozen=True)
class Versions:
    """The newest ``version`` of a page's links, and what it opens with ``now``: texts in place of the defaults of knobs.

    ``before`` are the defaults of the same settings in links of the version before it.
    """

    version: str
    now: Mapping[str, str]
    before: Mapping[str, str]

    def today(self, link: Mapping[str, str], *, written: bool = False) -> tuple[dict[str, str], str]:
        """The settings of ``link``, of any version, as links of the newest version write them, and a complaint, or "".

        An empty link opens the page as it opens today, unless the page has ``written`` it into a file.
        """
        asked = {key: text for key, text in link.items() if key != KEY}
        version = link.get(KEY, FIRST if written or asked.keys() - OF_THE_FRAME else self.version)
        complaint = "" if version in (FIRST, self.version) else f"version {version} of the link: {self.version} is taken"
        return ({**self.before, **asked} if version == FIRST else asked), complaint
