"""A server is configured by the environment or by a file, and errors in the file are reported."""

from functools import partial
from pathlib import Path

import pytest

from dml_viz.serve import page_headers
from dml_viz.serve.configuration import value_of
from dml_viz.serve.page_headers import policy


def test_a_variable_takes_precedence_over_the_file_and_the_file_over_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "dml_viz.toml"
    monkeypatch.delenv("DML_VIZ_STORE", raising=False)
    assert value_of("store", file) == "memory"
    file.write_text('store = "/from/file"\n')
    assert value_of("store", file) == "/from/file"
    monkeypatch.setenv("DML_VIZ_STORE", "/from/environment")
    assert value_of("store", file) == "/from/environment"
    monkeypatch.setenv("DML_VIZ_STORE", "")
    assert value_of("store", file) == "/from/file"


def test_a_line_can_say_that_no_other_site_holds_a_page_in_a_frame(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "dml_viz.toml"
    file.write_text('embedded_by = ""\n')
    monkeypatch.delenv("DML_VIZ_EMBEDDED_BY", raising=False)
    monkeypatch.setattr(page_headers, "value_of", partial(value_of, file=file))
    assert policy("").endswith("; frame-ancestors 'self' ")


@pytest.mark.parametrize("text", ['stoer = "/a"', "store = 3", "store = ", "\xff"])
def test_errors_in_the_file_are_reported(text: str, tmp_path: Path) -> None:
    file = tmp_path / "dml_viz.toml"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"dml_viz\.toml"):
        value_of("store", file)
