"""The frame around every page: its navigation, found in the folder of pages."""

import ast
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from dml_viz.app import tab
from dml_viz.assets import ASSETS, HOME
from dml_viz.threads import once, syntax_tree

# The sections of the menu by the number of their first page; pages of the section without a name are in the menu itself.
SECTIONS = (("", ""), ("22", "Losses"), ("80", "Train"), ("86", "Your own"), ("90", "Figures and papers"))
PAGES = HOME / "pages"
NAME = "dml-viz"  # in the title of every page, behind its own
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class PageFile:
    """A page as its file declares it: the number in the name orders, the docstring's first line is the title."""

    file: str
    title: str

    @property
    def path_in_address(self) -> str:
        """The page's path in the address, such as "gradients"."""
        return self.file.removesuffix(".py").split("_", 1)[1]


@dataclass(frozen=True)
class Whole:
    """Pages that are the tabs of one: its title, and the labels of its ``tabs`` by address. The menu has the first."""

    title: str
    tabs: Mapping[str, str] = field(default_factory=dict)


WHOLES = (
    Whole("Beyond the loss", {"beyond_one_loss": "Methods", "batches": "Batches"}),
    Whole("Your loss", {"your_formula": "Your formula", "name_that_loss": "Name that loss"}),
    Whole("Figures", {"gallery": "Gallery", "compose": "Compose", "votes": "Votes of a class"}),
)


@once
def page_files() -> tuple[PageFile, ...]:
    """Every page of the folder, in order."""
    files = []
    for path in sorted(PAGES.glob("[0-9]*_*.py")):
        title = (ast.get_docstring(syntax_tree(path.read_text(encoding="utf-8"))) or path.stem).partition("\n")[0]
        files.append(PageFile(path.name, title.rstrip(".")))
    return tuple(files)


def titles() -> dict[str, str]:
    """The titles of all pages by their address, which is empty for the first."""
    return {each.path_in_address if index else "": each.title for index, each in enumerate(page_files())}


def browser_title(page: str) -> str | None:
    """The title of a browser's tab that shows ``page``; None for an address without a page."""
    title = titles().get(page)
    return title and f"{title} · {NAME}"


def whole_of_page(page: str) -> Whole:
    """The whole of which ``page`` is a tab; one of its own title, without tabs, if it is none."""
    return next((each for each in WHOLES if page in each.tabs), Whole(titles().get(page, "")))


def page_in_menu(page: str) -> str:
    """The page by which ``page`` is found in the menu: itself, or the first tab of its whole."""
    return next(iter(whole_of_page(page).tabs), page)


def section_of(page: str) -> str:
    """The section of the menu that has ``page``; empty for the menu itself."""
    file = next(each.file for url, each in zip(titles(), page_files(), strict=True) if url == page_in_menu(page))
    return next(section for first, section in reversed(SECTIONS) if file >= first)


def page_objects() -> dict[str, Any]:
    """Streamlit's page object of each page, by address; empty where a page runs alone."""
    return dict(zip(titles(), tab.PAGES.find() or [], strict=False))


def link(page: str, settings: Mapping[str, str], **options: Any) -> None:
    """Draw a link to ``page`` with ``settings``; nothing where a page runs alone. ``options`` are of Streamlit's link."""
    if target := page_objects().get(page):
        st.page_link(target, query_params=settings, **options)


def run() -> None:
    """Draw the frame and run the page of the link; the first page is the default."""
    st.html(ASSETS / "css" / "app.css")
    pages = tab.PAGES.find() or tab.PAGES.set([_page_object(url, each) for url, each in zip(titles(), page_files(), strict=True)])
    sections: dict[str, list[Any]] = {section: [] for _, section in SECTIONS}
    for url, page in zip(titles(), pages, strict=True):
        sections[section_of(url)].append(page)
    page_object = st.navigation(sections, position="top")
    tab.PAGE.set(page_object.url_path)
    st.set_page_config(
        page_title=browser_title(page_object.url_path), page_icon="🎯", layout="wide", initial_sidebar_state="auto"
    )
    st.html(_marked(page_object.url_path))
    page_object.run()


def _page_object(url: str, page: PageFile) -> Any:
    """Streamlit's object of a page."""
    visibility: Any = "visible" if page_in_menu(url) == url else "hidden"
    return st.Page(
        PAGES / page.file, title=whole_of_page(url).title, url_path=page.path_in_address, default=not url, visibility=visibility
    )


def _marked(page: str) -> str:
    """The style that marks the place of the open page in the menu, where Streamlit marks it only within an opened section."""
    visible = [url for url in titles() if page_in_menu(url) == url]
    alone = [url for url in visible if not section_of(url)]
    sections = [section for _, section in SECTIONS if section]
    own = section_of(page)
    position = 1 + (len(alone) + sections.index(own) if own else alone.index(page))
    links = ":is([data-testid=stTopNavDropdownLink], [data-testid=stSidebarNavLink])"
    here = f'[data-testid=stTopNav] > :nth-child({position}), {links}[href$="/{page_in_menu(page)}"]'
    return f"<style>{here} {{ box-shadow: inset 0 -2px currentColor; font-weight: 600; }}</style>"


def show_error(error: Exception) -> bool:
    """Show a sentence where the page stopped, and log the error; return True, so that Streamlit shows nothing else."""
    LOG.error("A page stopped", exc_info=error)
    st.error(
        f"This page stopped because of an error in the app ({type(error).__name__}). A run that trains goes on: reload the "
        "page, or open it without the settings in its link."
    )
    return True
