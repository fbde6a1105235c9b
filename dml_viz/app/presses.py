"""A button of which every press counts, also one that comes before the page is drawn for the press before."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dml_viz.app import tab
from dml_viz.app.component_loader import component

MOST = 100  # presses at once


def counted_button(label: str, on_press: Callable[[int], None], *, key: str, **options: Any) -> None:
    """Draw a button with Streamlit's ``options``; ``on_press`` is called with the number of presses since the last call.

    Streamlit alone gives one call for several presses that come while a page is drawn. Its own click is used where the script
    that counts has not come.
    """
    counter, answered = f"{key}.presses", tab.PRESSES.of(key)

    def count() -> None:
        sent, before = (tab.control(counter).get() or {}).get("presses"), int(answered.get())
        if isinstance(sent, (int, float)) and sent > before:
            answered.set(int(sent))
            on_press(min(int(sent) - before, MOST))

    st.button(label, key=key, on_click=on_press, args=(1,), **options)
    component("presses")(
        key=counter, data={"button": f"st-key-{key.replace('.', '-')}", "taken": answered.get()}, on_presses_change=count
    )
