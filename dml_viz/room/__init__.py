"""The contract of a page, and what is read from its link: no Streamlit, no web server."""
