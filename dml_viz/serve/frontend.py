"""The framework that draws the pages, as far as the server asks it; `dml_viz.app.frontend` answers."""

from collections.abc import Mapping
from typing import Protocol


class Frontend(Protocol):
    """The operator's options, the cookie by which a browser is known, the document of all pages, and the store of uploads."""

    def allows_host(self, host: str) -> bool | None:
        """Whether the operator lets the server answer as ``host``; None where the operator names no hosts."""

    def allows_origin(self, origin: str) -> bool:
        """Whether the operator lets pages of another ``origin`` open sockets."""

    def listens_at(self) -> str:
        """The name or address that the server is told to listen at; "" for all."""

    def public_name(self) -> str:
        """The name by which the operator says that browsers find the server; "" for none."""

    def base_path(self) -> str:
        """The path below which all pages are served, without slashes at its ends."""

    def browser_of(self, cookies: Mapping[str, str]) -> bytes:
        """What tells one browser from another in its cookies; empty without a valid cookie."""

    def comes_from_page(self, token: str | None, cookies: Mapping[str, str]) -> bool:
        """Whether a page of this server sends a request with ``token`` in a header, and no other site in the visitor's name."""

    def document(self) -> str:
        """The HTML document that is the same for all pages."""

    def delete_upload(self, session: str, file: str) -> None:
        """Delete an uploaded file."""
