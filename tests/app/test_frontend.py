"""Streamlit, as the app needs it."""

from streamlit.testing.v1 import AppTest

from dml_viz.app import frontend


def page_with_late_request() -> None:
    import streamlit as st
    from streamlit.proto.WidgetStates_pb2 import WidgetStates
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    def take_over() -> None:
        context = get_script_run_ctx()
        assert context
        assert context.script_requests
        now = WidgetStates(widgets=context.session_state.get_widget_states())
        context.script_requests.request_rerun(RerunData(widget_states=now, page_script_hash=context.page_script_hash))
        st.session_state["taken"] = st.session_state["bins"]

    st.slider("Bins", 1, 10, key="bins", on_change=take_over)
    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    st.code(f"{st.session_state.get('taken')} after {st.session_state['runs']} runs")


def test_a_callback_finishes_where_the_next_request_has_the_same_value(monkeypatch) -> None:
    monkeypatch.setattr(frontend.ScriptRequests, "on_scriptrunner_yield", frontend.ScriptRequests.on_scriptrunner_yield)
    frontend.run_callbacks_to_their_end()
    app = AppTest.from_function(page_with_late_request).run()
    app.slider[0].set_value(7).run()
    assert app.code[0].value == "7 after 2 runs"
