"""What a link has of a visitor's own file; no Streamlit here."""

from dml_viz.app.room import ReadSetting

FIRST, SECOND = "file", "file2"  # keys in the link, which hold fingerprints
LENGTH = 12  # letters of a fingerprint in a link


class Fingerprint(ReadSetting):
    """The beginning of a file's SHA-256; "" for none."""

    default = ""

    def read(self, text: str) -> str:
        """The fingerprint; ValueError for another text."""
        if text and not (len(text) == LENGTH and set(text) <= set("0123456789abcdef")):
            raise ValueError(
                f"{text[:20]!r} is no fingerprint of a file; it has {LENGTH} of the signs 0 to 9 and a to f"
            )
        return text
