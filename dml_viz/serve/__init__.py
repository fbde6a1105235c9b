"""What the server answers beside Streamlit's pages: figures, runs, files and watched loops, and what it refuses."""
