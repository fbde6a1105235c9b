"""The room of the Proxies page: how losses with a learnt proxy for each class pull and push, and when they stop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dml_viz.explain.proxies.controls import ask_for_settings
from dml_viz.explain.proxies.figures import FIGURES
from dml_viz.explain.proxies.model import SHARE, Model, Settings
from dml_viz.explain.proxies.predictions import PREDICTIONS
from dml_viz.explain.proxies.presets import LESSON, PRESETS
from dml_viz.explain.proxies.scenes import FIRST, KEY, scenes, with_run_proxies
from dml_viz.explain.proxies.text import FIRST as WORDS
from dml_viz.explain.proxies.text import mistakes_in_words
from dml_viz.losses import Loss
from dml_viz.losses.discriminative import Discriminative
from dml_viz.losses.triplet import Triplet
from dml_viz.params import knobs
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import palette
from dml_viz.room.ask import NOTHING
from dml_viz.room.component_data import ProxiesOverlay
from dml_viz.room.room import Component, Room
from dml_viz.room.sources import Points

HEIGHT = 460


def drawn(settings: Settings) -> tuple[Mapping[str, Loss], ProxiesOverlay]:
    """No loss, and the JSON values for both views of the scene."""
    return NOTHING, {
        "nca": knobs(settings.nca),
        "anchor": knobs(settings.anchor),
        "wrongSign": settings.wrong_sign,
        "share": SHARE if settings.truncated else None,
        "edges": settings.edges,
    }


def click(model: Model, row: int) -> dict[str, int]:
    """The setting that chooses the sample of ``row`` or, from N on, a proxy."""
    size = len(model.y)
    return {f"{KEY}.query": row} if row < size else {f"{KEY}.proxy": row - size}


def _nca(settings: Settings) -> tuple[Loss, ...]:
    return (settings.nca,)


def _anchor(settings: Settings) -> tuple[Loss, ...]:
    return (settings.anchor,)


LOSSES_OF: Mapping[str, Callable[[Settings], Sequence[Loss]]] = {
    **dict.fromkeys((KEY, "nca", "flow-nca", "table-nca", "moves-nca"), _nca),
    **dict.fromkeys(("twin", "anchor", "flow-anchor", "table-anchor", "moves-anchor"), _anchor),
    **dict.fromkeys(("cousin", "table-cousin"), lambda settings: (settings.third_loss,)),
    **dict.fromkeys(("pull", "push", "flow"), lambda settings: (settings.nca, settings.anchor)),
    "pull-cousin": lambda settings: (settings.third_loss, settings.nca),
    "moves-triplet": lambda settings: (Triplet(),),
    "bound": lambda settings: (Discriminative(),),
    "floor": lambda settings: (replace(settings.nca, positive_in_denominator=True, smoothing=0.0),),
}


def _second_view(_: Model, display: Display) -> Component:
    return Component("second_view", {"height": HEIGHT, "palette": palette(), "theme": display.theme})


ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="Proxies",
    source=Points(FIRST, KEY, ("query", "proxy"), (3, 0), proxies=True, scenes=scenes, height=HEIGHT, key=KEY),
    settings=ask_for_settings,
    of_roles=lambda picked: {"sample": picked[0], "proxy": picked[1]},
    model=Model,
    figures=FIGURES,
    losses=lambda settings: (settings.nca, settings.anchor, settings.third_loss),
    losses_of=LOSSES_OF,
    captions={"floor": lambda _: "every sample on its own proxy, all proxies equally far apart"},
    variations=mistakes_in_words,
    drawn=drawn,
    words=WORDS,
    presets=PRESETS,
    predictions=PREDICTIONS,
    lesson=LESSON,
    components={"twin": _second_view},
    from_run=with_run_proxies,
    click=click,
    clickable=("nca", "anchor", "flow-nca", "flow-anchor", "cousin"),
    old_keys={f"{KEY}.stars": f"{KEY}.place", f"{KEY}.cousin": f"{KEY}.variant"},
)
