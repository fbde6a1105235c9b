"""What a page notes down as it is drawn, so that each of its figures can say how it was made."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dml_viz.app import lesson, url_state
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.formats import menu
from dml_viz.figure_files.spec import RECORDED, Spec, declared, declared_race, declared_run, declared_sweep, linked
from dml_viz.losses import Loss
from dml_viz.training.race import Race
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

ESCAPED = re.compile(r"\\([\\*_\[\]<>$|~#:])")
NOTES, PATH, FIRST = "export.notes", "frame.path", "start"


def _path() -> str:
    """The page's path in the address; where a page runs alone, as its file is named."""
    if PATH in st.session_state:
        return str(st.session_state[PATH])
    context = get_script_run_ctx()
    name = Path(context.main_script_path).stem if context else FIRST
    path = name.split("_", 1)[1] if name[:1].isdigit() and "_" in name else name
    return "" if path == FIRST else path


@dataclass
class Notes:
    """Of one run of a page: its title, path, newest claim, the losses that its figures show, and the scene, or the step of a run.

    ``setting`` is what holds the step in the link.
    """

    title: str
    claim: str = ""
    losses: tuple[Loss, ...] = ()
    scene: str = ""
    run: Mapping[str, Any] | None = None
    step: int | None = None
    changes: tuple[Any, ...] = ()
    setting: str = "step"
    path: str = field(default_factory=_path)


def begin(title: str) -> None:
    """A page begins."""
    st.session_state[NOTES] = Notes(title)


def claim(text: str) -> None:
    """A section begins; its claim titles the figures below it."""
    notes().claim = text


def shown(*losses: Loss) -> None:
    """The figures below show ``losses``."""
    notes().losses = losses


def scene(name: str) -> None:
    """The page looks at the scene ``name``."""
    notes().scene = name


def moment(run: Run, step: int, changes: tuple[Any, ...] = ()) -> None:
    """The page looks at ``step`` of ``run``, which was changed by hand on the way as ``changes`` tells (step, what)."""
    st.session_state[NOTES] = replace(notes(), run=declared_run(run), step=step, changes=changes, setting="step")


def racing(race: Race, step: int, setting: str) -> None:
    """The page looks at ``step`` of ``race``, which the link holds under ``setting``."""
    losses = tuple(racer.loss for racer in race.racers)
    st.session_state[NOTES] = replace(
        notes(), run=declared_race(race), losses=losses, step=step, changes=(), setting=setting
    )


def sweeping(sweep: Sweep, step: int) -> None:
    """The page looks at ``step`` of the runs of ``sweep``; its link says so by itself."""
    losses = (sweep.run.loss,)
    st.session_state[NOTES] = replace(
        notes(), run=declared_sweep(sweep), losses=losses, step=step, changes=(), setting=""
    )


@contextmanager
def aside() -> Iterator[None]:
    """What is looked at within is forgotten behind."""
    before = notes()
    yield
    st.session_state[NOTES] = before


def notes() -> Notes:
    """Those of the page that runs now."""
    if (noted := st.session_state.get(NOTES)) is None:
        noted = st.session_state[NOTES] = Notes("")
    return cast("Notes", noted)


def exported(figure: str, theme: str, recorded: Run | Race | None = None) -> dict[str, Any]:
    """What the export menu of ``figure``, drawn in ``theme``, is told: its spec, and the formats; see `spec` on ``recorded``.

    From then on a lesson may hide the figure.
    """
    made = spec(figure, theme, recorded)
    if url_state.VISIT in st.session_state:
        url_state.offer(f"{lesson.FIGURE}{figure}", f"figure “{made.title}”")
    return {**made.write(), "formats": menu()}


def spec(figure: str, theme: str, recorded: Run | Race | None = None) -> Spec:
    """The spec of ``figure`` on the page that runs now, or of a picture there that plays a run or race ``recorded`` before."""
    noted = notes()
    path, title = noted.path, _plain(noted.claim or noted.title)
    base = Spec(figure.replace(".", "-"), path or FIRST, linked(path, {}), title, theme=theme)
    if recorded is not None:
        racers = recorded.racers if isinstance(recorded, Race) else (recorded,)
        run = declared_race(recorded) if isinstance(recorded, Race) else declared_run(recorded)
        losses = tuple(declared(each.loss) for each in racers)
        made = replace(base, loss=losses, run={**run, RECORDED: True}, step=run["steps"])
        return replace(made, caption=f"Recorded. {caption(made, noted.title)}")
    visit = st.session_state.get(url_state.VISIT)
    link = _link_settings(visit) if visit else {}
    if noted.run and noted.setting:
        link[noted.setting] = str(noted.step)
    settings = {key: value for key, value in visit.memory.items() if key in visit.known} if visit else {}
    query = next((value for key, value in settings.items() if key.rpartition(".")[2] == "query"), None)
    made = replace(
        base, link=linked(path, link), loss=tuple(map(declared, dict.fromkeys(noted.losses))), run=noted.run,
        step=noted.step, changes=noted.changes, query=query if isinstance(query, int) and query >= 0 else None,
        settings=settings,
    )  # fmt: skip
    return replace(made, caption=caption(made, noted.title, noted.scene))


def _link_settings(visit: url_state.Visit) -> dict[str, str]:
    """What the address is to hold: as set in this run and, for controls that are still to come, as it was before."""
    before = visit.asked if visit.arrived else st.session_state.get(url_state.SENT, {})
    return {**{key: text for key, text in before.items() if key not in visit.known}, **visit.shared}


def _plain(text: str) -> str:
    """A claim without its Markdown."""
    return ESCAPED.sub(r"\1", text.replace("**", "").replace("`", ""))
