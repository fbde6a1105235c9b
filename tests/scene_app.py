"""A page of the scene editor alone, served as the app is: ``streamlit run tests/scene_app.py``."""

import streamlit as st

from dml_viz.serve import server

app = st.App("scene_page.py", routes=server.routes())
