"""The settings of a link for a visitor's own files; no Streamlit here."""

from dml_viz.params import Param

FIRST, SECOND = "file", "file2"  # keys of fingerprints in the link
LENGTH = 12  # letters of a fingerprint in a link
# The beginning of a file's SHA-256; "" for none.
FINGERPRINT = Param(
    FIRST,
    "",
    "",
    f"fingerprint of a file; it has {LENGTH} of the signs 0 to 9 and a to f",
    pattern=f"([0-9a-f]{{{LENGTH}}})?",
)
