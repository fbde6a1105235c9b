"""The settings of a link for a visitor's own files; no Streamlit here."""

from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.params import Param

FIRST, SECOND = "file", "file2"  # keys of fingerprints in the link
LENGTH = 12  # letters of a fingerprint in a link
# The beginning of a file's SHA-256; "" for none.
FINGERPRINT = Param(
    FIRST, "", "", f"fingerprint of a file; it has {LENGTH} of the signs 0 to 9 and a to f", pattern=f"([0-9a-f]{{{LENGTH}}})?"
)


def short(subject: Scored) -> str:
    """The part of a file's fingerprint that is used in links."""
    return subject.file.fingerprint[:LENGTH]


def named(*subjects: Scored) -> str:
    """The name of one file or several in a caption."""
    each = (f"the file {subject.file.title} ({len(subject.file.y):,} rows, fingerprint {short(subject)})" for subject in subjects)
    return " and ".join(each)


def named_images(content: OwnImages) -> str:
    """The images in a caption."""
    return f"the images {content.title} ({len(content.images.y):,} images, fingerprint {content.fingerprint[:LENGTH]})"
