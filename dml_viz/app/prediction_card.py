"""Predictions on a page: the menu, the question, the answer, and the truth, with the page in the prediction's state."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from dml_viz.app import glossary, tab, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.theme import theme
from dml_viz.assets import ASSETS
from dml_viz.params import Param
from dml_viz.plot.style import palette
from dml_viz.room.ask import as_link
from dml_viz.room.prediction import ASKED, LOCKED, REVEALED, Choices, Drag, Mark, NotYetError, Prediction, Round
from dml_viz.room.room import Room
from dml_viz.serve.figure_store import prediction_models

KEY = "predict"


@dataclass(frozen=True)
class Asker:
    """Asks the ``predictions`` of a page; ``models`` returns the models of a prediction, before and after it is revealed."""

    predictions: Sequence[Prediction[Any]]
    models: Callable[[Prediction[Any]], tuple[Any, Any]]

    def menu(self) -> None:
        """Draw the button that opens the list of predictions."""
        if not self.predictions:
            return
        with st.container(key="predict-menu", width="content"), st.popover("Predict", icon=":material/psychology_alt:"):
            st.caption("Say first what will happen; then see it computed.")
            for each in self.predictions:
                st.button(each.title, key=f"{KEY}.{each.name}", on_click=_ask, args=(each.name, each), type="tertiary")

    @property
    def prediction(self) -> Prediction[Any] | None:
        """The prediction on the page, if there is one."""
        return self._of(str(tab.control(KEY, "").get()))

    @property
    def waits(self) -> bool:
        """Whether the page asks a prediction that is not revealed yet."""
        if tab.WALL.get():
            return self.prediction is not None and not _shown_to_class(self.prediction.name)
        now = rounds_by_prediction().get(str(tab.control(KEY, "").get()))
        return now is not None and now.stage != REVEALED

    @property
    def prediction_figures(self) -> tuple[str, ...]:
        """The figures beside the scene that the prediction on the page needs, in place of all others."""
        return self.prediction.figures if self.prediction else ()

    def apply_link(self) -> None:
        """Add to the link's settings those of the prediction in it, before any other setting is read."""
        visit = tab.VISIT.get()
        prediction = self._of(visit.link.get(KEY, "")) if visit.arrived else None
        if prediction:
            done = rounds_by_prediction().get(prediction.name)
            revealed = _shown_to_class(prediction.name) or (done is not None and done.stage == REVEALED)
            state, end = as_link(prediction.settings), as_link(prediction.reveals)
            # A link that was copied after the truth was seen has what shows it, too.
            others = {key: text for key, text in visit.link.items() if key not in end}
            visit.link = {**others, **state, **(end if revealed else {})}

    def draw(self) -> None:
        """Draw the prediction of the link: its question, its answer and the truth."""
        names = [each.name for each in self.predictions]
        pattern = "|".join(map(re.escape, names))
        knob = Param(KEY, "", "", f"prediction of this page; choose from {', '.join(names)}", pattern=f"({pattern})?")
        name = str(url_state.setting(KEY, knob))
        url_state.write_setting(KEY, name, "")
        prediction = self._of(name)
        if prediction is None:
            return
        if tab.WALL.get():
            _draw_for_class(prediction, self.models)
        else:
            draw_prediction(prediction, self.models, lambda: _open(prediction.name, prediction), close=True)

    def _of(self, name: str) -> Prediction[Any] | None:
        return next((each for each in self.predictions if each.name == name), None)


def asker_of(room: Room[Any, Any], predictions: Sequence[Prediction[Any]]) -> Asker:
    """The asker of ``predictions`` whose models are those of their recordings, or of scenes of ``room``."""
    return Asker(predictions, partial(prediction_models, room))


def draw_prediction(
    prediction: Prediction[Any],
    models: Callable[[Prediction[Any]], tuple[Any, Any]],
    on_reveal: Callable[[], None],
    *,
    close: bool = False,
) -> None:
    """Draw ``prediction`` with its answer and the truth; ``on_reveal`` is called once the truth is computed."""
    name = prediction.name
    if name not in rounds_by_prediction():
        rounds_by_prediction()[name] = Round(prediction.ask(models(prediction)[0] if prediction.of_model else None))

    def reveal() -> None:
        try:
            rounds_by_prediction()[name] = prediction.reveal(rounds_by_prediction()[name], *models(prediction))
        except NotYetError as wait:
            tab.ROUND_MESSAGE.set(str(wait))
        else:
            on_reveal()

    now = rounds_by_prediction()[name]
    tab.ROUND_STAGE.set(now.stage)
    _withhold(None if now.stage == REVEALED else prediction)
    st.html(ASSETS / "css" / "prediction.css")
    with st.container(key="prediction"):
        _draw(now, reveal, prediction if close else None)
        if wait := tab.ROUND_MESSAGE.pop():
            st.caption(wait)


def _shown_to_class(name: str) -> bool:
    """Whether the class of this tab, its wall, sees prediction ``name`` revealed."""
    return tab.CLASS_REVEALED.get() and tab.CLASS_ASKED.get() == name


def _draw_for_class(prediction: Prediction[Any], models: Callable[[Prediction[Any]], tuple[Any, Any]]) -> None:
    """Withhold what would show the answer of ``prediction`` until the class sees it; the browser draws question and answer."""
    revealed = _shown_to_class(prediction.name)
    _withhold(None if revealed else prediction)
    tab.ROUND_STAGE.set(REVEALED if revealed else LOCKED)
    if revealed and prediction.name not in rounds_by_prediction():
        with suppress(NotYetError):
            before, after = models(prediction)
            asked = prediction.ask(before)
            rounds_by_prediction()[prediction.name] = Round(asked, None, prediction.computed(asked.by, before, after))


def _withhold(prediction: Prediction[Any] | None) -> None:
    """Let this run of the page send the browser nothing that would show the answer of ``prediction``; None withholds nothing."""
    tab.WITHHELD.set(frozenset(prediction.hides if prediction else ()))
    tab.BARE.set(prediction is not None and prediction.bare)


def _ask(name: str, prediction: Prediction[Any] | None) -> None:
    """Ask ``prediction`` on the page that runs now, from the start; None asks none."""
    rounds_by_prediction().pop(name, None)
    tab.PREDICTED.of(name).pop()
    _open(name if prediction else "", prediction)


def _open(name: str, prediction: Prediction[Any] | None) -> None:
    """Let the page ask the prediction ``name``, in the prediction's state."""
    if prediction and (prediction.settings or prediction.reveals):
        url_state.open_anew({KEY: name})
    else:
        tab.control(KEY).set(name)


def _draw(now: Round, reveal: Callable[[], None], of_page: Prediction[Any] | None) -> None:
    """Draw the question, the control for the answer, the truth once it is revealed, and the buttons; a scene is at the side."""
    question, key = now.asked, tab.PREDICTED.of(now.asked.name).name
    by_hand = isinstance(question.by, Drag)
    picture, words = (
        st.columns([1, 3]) if by_hand else (None, st.container(horizontal=True, vertical_alignment="center", gap="small"))
    )
    with words:
        with st.container(key="prediction-question", width="stretch"):
            glossary.say(question.question)
            if now.revealed:
                with st.container(key="prediction-verdict"):
                    glossary.say(f"{now.verdict} {now.revealed.says}")
        row = st.container(
            horizontal=True,
            vertical_alignment="center",
            gap="small",
            width="stretch" if by_hand else "content",
            key="prediction-answer",
        )
    with picture or row:
        answer = _answer(now, key) if picture or not now.revealed else None
    with row:
        if now.stage == ASKED:
            st.button(
                "Lock",
                key=f"{KEY}.lock",
                type="primary",
                disabled=answer is None,
                on_click=_lock,
                args=(now, key),
                help="Your answer cannot be changed then.",
            )
        elif now.stage == LOCKED:
            st.button("Reveal", key=f"{KEY}.reveal", type="primary", icon=":material/visibility:", on_click=reveal)
        elif of_page:
            st.button("Ask again", key=f"{KEY}.again", on_click=_ask, args=(question.name, of_page))
        if of_page:
            st.button("Close", key=f"{KEY}.close", type="tertiary", on_click=_ask, args=(question.name, None))


def _answer(now: Round, key: str) -> Any:
    """Draw the control for the answer, and return the answer so far, None for none."""
    by, locked = now.asked.by, now.stage != ASKED
    if isinstance(by, Choices):
        places = range(len(by.options))
        given = None if now.answer is None else int(now.answer)
        return st.pills(
            "Your prediction",
            places,
            default=st.session_state.setdefault(key, given),
            key=key,
            disabled=locked,
            format_func=by.options.__getitem__,
            label_visibility="collapsed",
        )
    if isinstance(by, Mark):
        kind = int if by.step == int(by.step) else float
        low, high, step = kind(by.low), kind(by.high), kind(by.step)
        first = low if now.answer is None else kind(now.answer)
        value = st.session_state.setdefault(key, first)
        label = f"{by.label} ({by.allows})" if by.allows else by.label
        return st.slider(label, low, high, value, step=step, key=key, disabled=locked, width=360)
    revealed = now.revealed
    result = component("predict")(
        key=key,
        data={
            "points": list(now.asked.points),
            "point": by.point,
            "answer": now.answer,
            "way": list(revealed.way) if revealed else None,
            "palette": palette(),
            "theme": theme(),
        },
        on_angle_change=lambda: None,
    )
    return result.angle


def _lock(now: Round, key: str) -> None:
    """Lock the answer that the control ``key`` has now; the button may be from before its last change."""
    given = st.session_state.get(key)
    answer = given.get("angle") if isinstance(given, Mapping) else given
    if answer is not None:
        rounds_by_prediction()[now.asked.name] = now.lock(answer)


def forget_stage() -> None:
    """Begin a page that asks nothing yet."""
    tab.ROUND_STAGE.set("")
    _withhold(None)


def rounds_by_prediction() -> dict[str, Round]:
    """The rounds of this visitor's predictions, answered or not, by the predictions' names."""
    return tab.ROUNDS.setdefault({})
