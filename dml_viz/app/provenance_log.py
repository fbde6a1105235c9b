"""The log of a page while it is drawn, from which each of its figures gets its spec and its caption."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx

from dml_viz.app import tab, url_state
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.spec import (
    RECORDED,
    Recipe,
    Spec,
    declared_part,
    declared_race,
    declared_run,
    declared_sweep,
    linked,
    query_in,
)
from dml_viz.losses import Loss
from dml_viz.room import task
from dml_viz.room.room import ProvenanceNotes, Room
from dml_viz.room.visit import Visit
from dml_viz.training.race import Race
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

ESCAPED = re.compile(r"\\([\\*_\[\]<>$|~#:])")
FIRST = "start"


def _path() -> str:
    """The page's path in the address; if a page runs alone, that of its file's name."""
    if tab.PAGE.exists():
        return tab.PAGE.get()
    context = get_script_run_ctx()
    name = Path(context.main_script_path).stem if context else FIRST
    path = name.split("_", 1)[1] if name[:1].isdigit() and "_" in name else name
    return "" if path == FIRST else path


def begin(title: str) -> None:
    """Begin an empty log for a page with this title."""
    tab.NOTES.set(ProvenanceNotes(title, _path()))


def note_claim(text: str) -> None:
    """Note the claim of a section, which is the title of the figures below."""
    notes().claim = text


def note_losses(*losses: Loss) -> None:
    """Note the ``losses`` of the figures below."""
    notes().losses = losses


def note_losses_of_room(room: Room[Any, Any], settings: Any) -> None:
    """Note the losses of the figures of ``room`` under ``settings``, and what is otherwise than in these losses."""
    note_losses(*room.losses(settings))
    notes().losses_by_figure = room.losses_by_figure(settings)
    notes().variations = tuple(room.variations(settings))
    notes().captions = room.captions_by_figure(settings)


def note_scene(name: str, step: int | None = None) -> None:
    """Note that the figures below show the scene ``name``, or the ``step`` of a watched loop, which ``name`` has, too."""
    notes().scene, notes().step = name, step


def note_step_of_run(run: Run, step: int, changes: tuple[Any, ...] = ()) -> None:
    """Note that the figures below show ``step`` of ``run``, with the ``changes`` (step, text) made while it trained."""
    tab.NOTES.set(replace(notes(), run=declared_run(run), step=step, changes=changes, setting="step"))


def note_step_of_race(race: Race, step: int, setting: str) -> None:
    """Note that the figures below show ``step`` of ``race``; ``setting`` is the key of the step in the link."""
    losses = tuple(racer.loss for racer in race.racers)
    tab.NOTES.set(replace(notes(), run=declared_race(race), losses=losses, step=step, changes=(), setting=setting))


def note_step_of_sweep(sweep: Sweep, step: int) -> None:
    """Note that the figures below show ``step`` of the runs of ``sweep``, whose link has no step."""
    losses = (sweep.run.loss,)
    tab.NOTES.set(replace(notes(), run=declared_sweep(sweep), losses=losses, step=step, changes=(), setting=""))


@contextmanager
def restored_at_end() -> Iterator[None]:
    """Restore, at the end of the block, the log of before it."""
    before = notes()
    yield
    tab.NOTES.set(before)


def notes() -> ProvenanceNotes:
    """The notes of the page that runs now."""
    if (noted := tab.NOTES.find()) is None:
        noted = tab.NOTES.set(ProvenanceNotes("", _path()))
    return noted


def recipe_of(figure: str, theme: str, recorded: Run | Race | None = None, *, images: bool = False) -> Recipe:
    """The data of the export menu of ``figure``, drawn in ``theme``: its `spec`; a lesson may hide the figure then."""
    made = spec(figure, theme, recorded, images=images)
    if tab.VISIT.exists():
        url_state.register_control(f"{task.FIGURE}{figure}", f"figure “{made.title}”")
    return made.write()


def spec(figure: str, theme: str, recorded: Run | Race | None = None, *, images: bool = False) -> Spec:
    """The spec of ``figure`` on the page that runs now, or of a picture that plays the recording of a run or race.

    A figure that shows ``images`` credits them.
    """
    noted = notes()
    path, title = noted.path, _plain(noted.claim or noted.title)
    visit = tab.VISIT.find()
    link = _link_settings(visit) if visit else {}
    # What is presented is read when a page has been drawn, so that its first figures would not have it and later ones would.
    known = visit.known - {"only", "present"} if visit else set()
    settings = {key: value for key, value in visit.memory.items() if key in known} if visit else {}
    base = Spec(figure.replace(".", "-"), path or FIRST, linked(path, link), title, theme=theme, settings=settings)
    query = query_in(settings)
    if recorded is not None:
        racers = recorded.racers if isinstance(recorded, Race) else (recorded,)
        run = declared_race(recorded) if isinstance(recorded, Race) else declared_run(recorded)
        losses = tuple(declared_part(each.loss) for each in racers)
        made = replace(base, loss=losses, run={**run, RECORDED: True}, step=run["steps"], query=query)
        return replace(made, caption=f"Recorded. {caption(made, noted.title, images=images)}")
    if noted.run and noted.setting:
        link[noted.setting] = str(noted.step)
    shown = noted.captions.get(base.figure)
    made = replace(
        base,
        link=linked(path, link),
        loss=tuple(map(declared_part, dict.fromkeys(noted.losses_by_figure.get(base.figure, noted.losses)))),
        run=noted.run,
        step=noted.step,
        changes=noted.changes,
        query=query if shown is None else None,
    )
    scene, variations = (noted.scene, noted.variations) if shown is None else (shown, ())
    return replace(made, caption=caption(made, noted.title, scene, variations, images=images))


def _link_settings(visit: Visit) -> dict[str, str]:
    """The settings of the address: of controls drawn in this rerun the new ones, of all others the last ones."""
    before = visit.link if visit.arrived else tab.SENT.find() or {}
    return {**{key: text for key, text in before.items() if key not in visit.known}, **visit.shared}


def _plain(text: str) -> str:
    """A claim without its Markdown."""
    return ESCAPED.sub(r"\1", text.replace("**", "").replace("`", ""))
