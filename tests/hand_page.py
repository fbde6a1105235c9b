"""The page of `scene_app`: the scene editor, and Python's words on its scene."""

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.page import page
from dml_viz.app.presets import Preset, break_it
from dml_viz.app.room import SceneOptions
from dml_viz.app.scene_editor import scene_editor
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.triplet import Triplet

TRIPLET = ("anchor", "positive", "negative")
OUTLIER = Preset(
    "Outlier from the side", {"hand.scene": "an outlier", "hand.at": "", "hand.dim": 3, "hand.view": "90_0"}
)

st.set_page_config(layout="wide")
with page("Hand", "It holds points."):
    many = PageControls().choice("many", "Roles", ("one", "three"), "one")
    proxies = PageControls().choice("proxies", "Proxies", ("no", "yes"), "no") == "yes"
    break_it((OUTLIER,))

    @st.fragment
    def pictures() -> None:
        """Draw the scene editor and Python's words on its scene."""
        losses = {"proxy_anchor": ProxyAnchor()} if proxies else {"triplet": Triplet()}
        roles = TRIPLET if many == "three" else ("query",)
        held = scene_editor("hand", SceneOptions("overlapping", roles=roles, proxies=proxies), losses)
        st.code(held.scene.write())
        st.code(f"picked {held.picked}, moving {held.moving}")
        st.caption(held.subject.provenance)
        if not held.moving:
            url_state.write()

    pictures()
