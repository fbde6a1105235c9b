"""The page of `scene_app`: the scene editor, and Python's words on its scene."""

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.page import page
from dml_viz.app.presets import Preset, preset_row
from dml_viz.app.scene_editor import scene_editor
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.triplet import Triplet
from dml_viz.room.scene_settings import SceneOptions

TRIPLET = ("anchor", "positive", "negative")
OUTLIER = Preset(
    "Outlier from the side", {"example.scene": "an outlier", "example.at": "", "example.dim": 3, "example.view": "90_0"}
)

st.set_page_config(layout="wide")
with page("Example", "A scene."):
    many = PageControls().choice("many", "Roles", ("one", "three"), "one")
    proxies = PageControls().choice("proxies", "Proxies", ("no", "yes"), "no") == "yes"
    preset_row((OUTLIER,))

    @st.fragment
    def pictures() -> None:
        """Draw the scene editor and Python's words on its scene."""
        losses = {"proxy_anchor": ProxyAnchor()} if proxies else {"triplet": Triplet()}
        roles = TRIPLET if many == "three" else ("query",)
        edited = scene_editor("example", SceneOptions("overlapping", roles=roles, proxies=proxies), losses)
        st.code(edited.scene.write())
        st.code(f"picked {edited.picked}, moving {edited.moving}")
        st.caption(edited.subject.provenance)
        if not edited.moving:
            url_state.write_address()

    pictures()
