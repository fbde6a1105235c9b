"""What a link has of a visitor's own file; no Streamlit here."""

from dml_viz.params import Param

FIRST, SECOND = "file", "file2"  # keys in the link, which hold fingerprints
LENGTH = 12  # letters of a fingerprint in a link
# The beginning of a file's SHA-256; "" for none.
FINGERPRINT = Param(
    FIRST,
    "",
    "",
    f"fingerprint of a file; it has {LENGTH} of the signs 0 to 9 and a to f",
    pattern=f"([0-9a-f]{{{LENGTH}}})?",
)
