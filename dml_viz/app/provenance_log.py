"""What a page notes down as it is drawn, so that each of its figures can say how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dml_viz.app import url_state
from dml_viz.figure_files.spec import RECORDED, Recipe, declared, declared_race, declared_run, linked
from dml_viz.losses import Loss
from dml_viz.params import knobs
from dml_viz.training.race import Race
from dml_viz.training.run import Run

NOTES, PATH, FIRST = "export.notes", "frame.path", "start"


@dataclass
class Notes:
    """Of one run of a page: its title, the newest claim, the losses that its controls spell, and the scene, or the step of a run.

    ``setting`` is what holds the step in the link.
    """

    title: str
    claim: str = ""
    losses: dict[str, Loss] = field(default_factory=dict)
    scene: str = ""
    run: Mapping[str, Any] | None = None
    step: int | None = None
    changes: tuple[Any, ...] = ()
    setting: str = "step"


def begin(title: str) -> None:
    """A page begins."""
    st.session_state[NOTES] = Notes(title)


def claim(text: str) -> None:
    """A section begins; its claim titles the figures below it."""
    notes().claim = text


def spelt(kind: Any, prefix: str, values: Mapping[str, Any]) -> None:
    """Controls under ``prefix`` spell knobs of ``kind``, perhaps a few at a time; nothing where that is no loss."""
    if not (isinstance(kind, type) and issubclass(kind, Loss)):
        return
    held, key = notes().losses, f"{prefix}.{kind.__name__}"
    # The knobs fit together only when the last of them is known; until then, and where they never do, it is left out.
    try:
        held[key] = kind(**{**(knobs(held[key]) if key in held else {}), **values})
    except ValueError:
        held.pop(key, None)


def shown(losses: Mapping[str, Loss]) -> None:
    """The figures below show ``losses``, those too whose controls are elsewhere."""
    notes().losses = dict(losses)


def scene(told: str) -> None:
    """The page looks at a scene, called as ``told``."""
    notes().scene = told


def moment(run: Run, step: int, changes: tuple[Any, ...] = ()) -> None:
    """The page looks at ``step`` of ``run``, which was changed by hand on the way as ``changes`` tells (step, what)."""
    st.session_state[NOTES] = replace(notes(), run=declared_run(run), step=step, changes=changes, setting="step")


def racing(race: Race, step: int, setting: str) -> None:
    """The page looks at ``step`` of ``race``, which the link holds under ``setting``."""
    losses = {f"{setting}.{place}": racer.loss for place, racer in enumerate(race.racers)}
    st.session_state[NOTES] = replace(
        notes(), run=declared_race(race), losses=losses, step=step, changes=(), setting=setting
    )


def notes() -> Notes:
    """Those of the page that runs now."""
    return st.session_state.setdefault(NOTES, Notes(""))


def recipe(figure: str, theme: str) -> Recipe:
    """The recipe of ``figure`` on the page that runs now, drawn in ``theme``."""
    told, visit = notes(), st.session_state.get(url_state.VISIT)
    kept = _kept(visit) if visit else {}
    if told.run:
        kept[told.setting] = str(told.step)
    path = _path()
    settings = {
        key: value for key, value in st.session_state.get("link.memory", {}).items() if visit and key in visit.known
    }
    query = next((value for key, value in settings.items() if key.rpartition(".")[2] == "query"), None)
    losses = tuple(declared(loss) for loss in dict.fromkeys(told.losses.values()))
    made = Recipe(
        figure.replace(".", "-"), path or FIRST, linked(path, kept), _plain(told.claim or told.title), theme=theme, loss=losses,
        run=told.run, step=told.step, changes=told.changes,
        query=query if isinstance(query, int) and query >= 0 else None, settings=settings,
    )  # fmt: skip
    return replace(made, caption=_caption(made, told))


def recorded(figure: str, theme: str, trained: Run | Race) -> Recipe:
    """The recipe of a picture of a run or race recorded before, whatever the controls of the page that plays it spell."""
    if isinstance(trained, Race):
        losses, run = [racer.loss for racer in trained.racers], declared_race(trained)
    else:
        losses, run = [trained.loss], declared_run(trained)
    told, path = notes(), _path()
    made = Recipe(
        figure.replace(".", "-"), path or FIRST, linked(path, {}), _plain(told.claim or told.title), theme=theme,
        loss=tuple(map(declared, losses)), run={**run, RECORDED: True}, step=run["steps"],
    )  # fmt: skip
    return replace(made, caption=f"Recorded. {_caption(made, told)}")


def _kept(visit: url_state.Visit) -> dict[str, str]:
    """What the address is to hold: as kept in this run and, for controls that are still to come, as it was asked or told."""
    before = visit.asked if visit.arrived else st.session_state.get(url_state.TOLD, {})
    return {**{key: text for key, text in before.items() if key not in visit.known}, **visit.kept}


def _path() -> str:
    """The page's path in the address; where a page runs alone, as its file is named."""
    if PATH in st.session_state:
        return str(st.session_state[PATH])
    context = get_script_run_ctx()
    name = Path(context.main_script_path).stem if context else FIRST
    path = name.split("_", 1)[1] if name[:1].isdigit() and "_" in name else name
    return "" if path == FIRST else path


def _caption(recipe: Recipe, told: Notes) -> str:
    """Loss and knobs, the scene or data, seed and step, and versions, in one line."""
    page, parts = told.title, [_said(loss) for loss in recipe.loss]
    if recipe.run:
        run = recipe.run
        known = "racers" in run or any(loss == run["loss"] for loss in recipe.loss)
        own = [] if known else [f"trained with {_said(run['loss'])}"]
        parts += [*own, f"{run['dataset']['title']}, {run['net']['title']} to {run['dim']} dimensions",
                  f"{_seeds(run)}, step {recipe.step}"]  # fmt: skip
    elif told.scene:
        parts.append(told.scene)
    if recipe.query is not None:
        parts.append(f"query #{recipe.query}")
    parts.append(", ".join(f"{name} {version}" for name, version in recipe.versions.items()))
    return f"{page}: {'; '.join(parts)}." if page else f"{'; '.join(parts)}."


def _seeds(run: Mapping[str, Any]) -> str:
    more = run.get("seeds", 1) - 1
    return f"seeds {run['seed']} to {run['seed'] + more}" if more else f"seed {run['seed']}"


def _said(loss: Mapping[str, Any]) -> str:
    knobs = ", ".join(f"{name} = {value}" for name, value in loss["knobs"].items())
    return f"{loss['title']} ({knobs})" if knobs else str(loss["title"])


def _plain(text: str) -> str:
    """A claim without its Markdown."""
    return text.replace("**", "").replace("`", "")
