"""A button of which every press counts, also one that comes before the page is drawn for the press before."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dml_viz.app.component_loader import component

MOST = 100  # presses at once


def counted_button(label: str, on_press: Callable[[int], None], *, key: str, **options: Any) -> None:
    """Draw a button with Streamlit's ``options``; ``on_press`` is called with the number of presses since the last call.

    Streamlit alone gives one call for several presses that come while a page is drawn. Its own click is used where the script
    that counts has not come.
    """
    counter, taken = f"{key}.presses", f"{key}.taken"

    def count() -> None:
        sent, before = (st.session_state.get(counter) or {}).get("presses"), int(st.session_state.get(taken, 0))
        if isinstance(sent, (int, float)) and sent > before:
            st.session_state[taken] = int(sent)
            on_press(min(int(sent) - before, MOST))

    st.button(label, key=key, on_click=on_press, args=(1,), **options)
    component("presses")(
        key=counter,
        data={"button": f"st-key-{key.replace('.', '-')}", "taken": st.session_state.get(taken, 0)},
        on_presses_change=count,
    )
