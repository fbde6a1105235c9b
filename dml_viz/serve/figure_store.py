"""Figures of rooms, each computed when a browser shows it. A page sends an address; the figure is made when it is fetched."""

import gzip
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Generic, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from dml_viz.data.wire import pack
from dml_viz.embedding.content_key import content_key
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.plot.canvas import Display
from dml_viz.room.ask import as_link
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.prediction import Prediction
from dml_viz.room.room import Room
from dml_viz.room.source import ClosedRunError, Subject
from dml_viz.room.sources import Points
from dml_viz.serve.answering import respond
from dml_viz.serve.visitors import LOOPBACK
from dml_viz.threads import once

V = TypeVar("V")
# Embeddings and settings with a slider of the page moved, given its key, its value, and the mark that it shows.
# LookupError where that changes no setting, ValueError where it cannot be.
Move: TypeAlias = Callable[[str, str, str], tuple[Embeddings, Any]]
FEW = 60  # points, up to which a model is small
MODELS_OF_FEW, MODELS_OF_MANY, OFFERS, TEXTS = 256, 16, 512, 256  # entries
SMALL = 16_384  # bytes; a smaller answer is not compressed


@dataclass(frozen=True)
class Offer:
    """A batch under a room's settings, in a display: its figures can be made, each under its name and ``token``.

    Its model is one of ``models``, under ``key``. If it may hold rows or images of a visitor's file, ``tabs`` are the tabs that
    show it.
    """

    room: Room[Any, Any]
    embeddings: Embeddings
    settings: Any
    display: Display
    token: str
    models: "_Last[Any]"
    key: str
    moved: Move | None = None
    tabs: set[str] = field(default_factory=set)

    @property
    def model(self) -> Any:
        """The room's model of the batch, shared by all who look at the same; the room's `NoModelError` where there is none."""
        return self.models.get(self.key, lambda: self.room.model(self.embeddings, self.settings))

    def address(self, name: str) -> str:
        """Where the figure ``name`` is served, below the site's root."""
        return f"figures/{name}/{self.token}"


class FigureStore:
    """Offers, models and finished figures of one server, each the last so many; safe to use from any thread."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)
        self._offers: _Last[Offer] = _Last(OFFERS)
        self._texts: _Last[str] = _Last(TEXTS)
        self._few: _Last[Any] = _Last(MODELS_OF_FEW)
        self._many: _Last[Any] = _Last(MODELS_OF_MANY)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The offers, the newest last."""
        return self._offers.values()

    def clear(self) -> None:
        """Drop all offers, models and figures; pages offer their figures again."""
        for last in (self._offers, self._texts, self._few, self._many):
            last.clear()

    def forget_files_of(self, tab: str) -> None:
        """Drop what may hold rows or images of the files of ``tab``, which is closed, and what no other tab shows."""
        gone = [offer for offer in self.offers if tab in offer.tabs]
        for offer in gone:
            offer.tabs.discard(tab)
        tokens = {offer.token for offer in gone if not offer.tabs}
        self._offers.drop(tokens.__contains__)
        self._texts.drop(lambda key: key.rpartition("/")[2] in tokens)
        models = {offer.key for offer in gone} - {offer.key for offer in self.offers}
        self._few.drop(models.__contains__)
        self._many.drop(models.__contains__)

    def offer(
        self,
        room: Room[Any, Any],
        embeddings: Embeddings,
        settings: Any,
        display: Display,
        moved: Move | None = None,
        *,
        tab: str = "",
    ) -> Offer:
        """All figures of a batch, none made yet, under a token that cannot be guessed and is the same for the same figures.

        Where the batch may hold rows or images of a visitor's file, ``tab`` is that which shows it; see `forget_files_of`.
        """
        key = self._key(room.key, embeddings, settings)
        token, models = self._key(key, display), self._few if len(embeddings.y) <= FEW else self._many
        offer = self._offers.get(token, lambda: Offer(room, embeddings, settings, display, token, models, key, moved))
        offer.tabs.update({tab} - {""})
        return offer

    def figure_with_slider_moved(self, name: str, token: str, *slider: str) -> tuple[str, str] | None:
        """Token and JSON of a figure with a slider moved (its key, value and mark); None for no figure."""
        offer = self._offers.find(token)
        if offer is None or offer.moved is None:
            return None
        try:
            made = self.offer(offer.room, *offer.moved(*slider), offer.display, offer.moved)
            made.tabs.update(offer.tabs)
            return made.token, self.text(name, made.token) or ""
        except (LookupError, ValueError):
            return None

    def text(self, name: str, token: str) -> str | None:
        """The figure ``name`` behind a token as JSON; None where there is none, or none any more."""
        offer = self._offers.find(token)
        if offer is None or name not in offer.room.figures:
            return None
        draw = offer.room.figures[name]
        try:
            return self._texts.get(f"{name}/{token}", lambda: str(draw(offer.model, offer.display).to_json()))
        except ClosedRunError:
            return None

    def message(self, name: str, token: str) -> bytes | None:
        """The figure ``name`` that a script of ours draws, with its arrays, as one message; None where there is none."""
        offer = self._offers.find(token)
        if offer is None or name not in offer.room.components:
            return None
        drawn = offer.room.components[name](offer.model, offer.display)
        return pack(drawn.data, drawn.arrays or {})

    def answer(self, name: str, token: str, asked: Mapping[str, str]) -> bytes | None:
        """What the script that draws the figure ``name`` asks about its model, as a message; None where there is none."""
        offer = self._offers.find(token)
        if offer is None or name not in offer.room.answers:
            return None
        try:
            return pack(*offer.room.answers[name](offer.model, asked))
        except (LookupError, ValueError):
            return None

    def _key(self, *content: Any) -> str:
        return hmac.digest(self._secret, content_key(*content).encode(), "sha256").hex()[:32]


class _Last(Generic[V]):
    """The last ``size`` values by key."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[str, V] = OrderedDict()
        self._lock = Lock()

    def find(self, key: str) -> V | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def values(self) -> tuple[V, ...]:
        with self._lock:
            return tuple(self._values.values())

    def clear(self) -> None:
        with self._lock:
            self._values.clear()

    def drop(self, drops: Callable[[str], bool]) -> None:
        """Drop the values of the keys for which ``drops`` is true."""
        with self._lock:
            for key in [key for key in self._values if drops(key)]:
                del self._values[key]

    def get(self, key: str, make: Callable[[], V]) -> V:
        """The value of ``key``, made where there is none; made twice rather than that anyone waits for another's."""
        value = self.find(key)
        if value is None:
            value = make()
            with self._lock:
                self._values[key] = value
                while len(self._values) > self._size:
                    self._values.popitem(last=False)
        return value


@once
def store() -> FigureStore:
    """The one store of this server process."""
    return FigureStore()


def routes() -> list[BaseRoute]:
    """``/figures/{name}/{token}``: a figure as JSON, or as a message with arrays; 404 for one that was offered too long ago.

    With ``slider``, ``value`` and ``mark`` the figure with that slider moved, its token in the header ``Figure``; 204 for none.
    With any other query of a figure that our own script draws, the answer to that.
    """
    return [Route("/figures/{name}/{token}", partial(respond, make=_figure))]


def _figure(request: Request) -> Response:
    name, token, query = request.path_params["name"], request.path_params["token"], request.query_params
    text: str | None
    if "slider" in query:
        moved = store().figure_with_slider_moved(name, token, *map(query.get, ("slider", "value", "mark"), ("", "", "")))
        if moved is None:
            return Response(status_code=204)
        token, text = moved
    else:
        text = store().text(name, token)
    if text is not None:
        body: bytes | None = text.encode()
    else:
        body = store().answer(name, token, query) if query else store().message(name, token)
    if body is None:
        return Response("This figure was offered too long ago; the page has to offer it again.", 404)
    headers = {"Cache-Control": "private, max-age=3600, immutable", "Vary": "Accept-Encoding"}
    headers["Figure"] = token
    near = request.client is not None and request.client.host in LOOPBACK
    if len(body) > SMALL and not near and "gzip" in request.headers.get("accept-encoding", ""):
        body, headers = gzip.compress(body, 1), {**headers, "Content-Encoding": "gzip"}
    return Response(body, headers=headers, media_type="application/octet-stream" if text is None else "application/json")


def prediction_models(room: Room[Any, Any], prediction: Prediction[Any]) -> tuple[Any, Any]:
    """The models before and after ``prediction`` is revealed: of its recording, or of the scene; ValueError for no model."""
    if prediction.recording:
        return (prediction.recording(),) * 2
    before = _model(room, prediction.settings)
    after = {**prediction.settings, **prediction.reveals}
    return before, _model(room, after) if prediction.reveals else before


def _model(room: Room[Any, Any], settings: Mapping[str, Any]) -> Any:
    reader = LinkReader(as_link(settings))
    subject = Subject(scene=room.source.scene(reader)) if isinstance(room.source, Points) else Subject()
    return store().offer(room, *room.batch(reader, subject), Display()).model
