"""PNG: pixels, with the spec in a text chunk."""

from dml_viz.figure_files.formats._base import FileFormat

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"dml-viz recipe\0\0\0\0\0"


class PNG(FileFormat):
    """A picture of pixels, one to four times as many as the screen has."""

    label, order = "PNG", 3
    note = "PNG, at the size on the screen"
    media_type, writer = "image/png", "png"
    is_drawing, scales = True, (1, 2, 3, 4)

    @classmethod
    def read(cls, body: bytes) -> str | None:
        if not body.startswith(SIGNATURE):
            return None
        start = len(SIGNATURE)
        while start + 8 <= len(body):
            size = int.from_bytes(body[start : start + 4])
            kind, data = body[start + 4 : start + 8], body[start + 8 : start + 8 + size]
            if kind == b"iTXt" and data.startswith(KEYWORD):
                return data.removeprefix(KEYWORD).decode("utf-8", "replace")
            start += size + 12
        return None
