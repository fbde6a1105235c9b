"""What is announced outlives the rerun that announces it, and goes."""

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import notice


def page_that_ends_something() -> None:
    import streamlit as st

    from dml_viz.app import notice

    notice.draw()
    if st.button("End it"):
        notice.announce("It has ended.")
        st.rerun()


def test_a_notice_outlives_the_reruns_that_follow_at_once_and_goes_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(notice, "monotonic", lambda: now)
    app = AppTest.from_function(page_that_ends_something).run()
    assert not app.toast
    app.button[0].click().run()
    for _ in range(2):
        assert [toast.value for toast in app.toast] == ["It has ended."]
        app.run()
    now += notice.SECONDS
    assert not app.run().toast
