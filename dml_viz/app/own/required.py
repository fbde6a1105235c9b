"""What a page does where it trains on images that the visitor has not brought."""

import streamlit as st

from dml_viz.app.own import files, images
from dml_viz.room.fingerprint import LENGTH
from dml_viz.room.markdown import to_the_letter


def require_images(data: str) -> None:
    """End the page if ``data`` names the visitor's own images and the session has not brought them."""
    if data != images.NAME:
        return
    name, brought = images.linked_images(), images.session_images()
    if brought and name == brought.short_fingerprint:
        return
    which = f"This link trains on images with fingerprint `{name[:LENGTH]}`" if name else "You have brought no images yet"
    st.info(f"{which}. Drop them on [Your data](your_data), or here.", icon=":material/upload_file:")
    files.droppers(files.FIRST)
    with st.container(horizontal=True):
        if brought:
            st.button(
                f"Use {to_the_letter(brought.title)}",
                on_click=st.session_state.update,
                args=({images.KEY: brought.short_fingerprint},),
            )
        st.button("Use icons", on_click=st.session_state.update, args=({images.DATA: "icons"},))
    st.stop()
