"""Every command and program that the readme and the pages of docs/ print can be typed as it is printed."""

import ast
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import torch
from packaging.requirements import Requirement
from torch import nn

from dml_viz.export import cli
from dml_viz.serve import launch
from dml_viz.serve.configuration import CHOICES
from dml_viz.training.watch.sender import Sender
from tests.samples import for_each
from tests.test_project import targets

ROOT = Path(__file__).parents[1]
GUIDES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
READERS = ("lecturers", "writers", "engineers", "operators")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OTHERS = {"curl", "dask", "docker", "export", "git", "kubectl", "mkdir", "ray", "sudo", "unset"}  # no programs of ours
PYTHONS = ("python", "python3")


def blocks(guide: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)


def lines(guide: Path) -> list[str]:
    """The command lines of a guide, in blocks and in sentences."""
    text = guide.read_text(encoding="utf-8")
    in_blocks = (line for block in blocks(guide, "sh") for line in block.replace("\\\n", " ").splitlines() if line.strip())
    return [
        *in_blocks,
        *re.findall(r"`((?:dml-viz|make|docker|python) [^`\n]*)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)),
    ]


COMMANDS = [(guide, line) for guide in GUIDES for line in lines(guide)]


@for_each(("guide", "line"), COMMANDS, ids=[f"{guide.stem}-{line[:40]}" for guide, line in COMMANDS])
def test_a_command_of_a_guide_can_be_typed(guide: Path, line: str) -> None:
    words = shlex.split(line.partition(" > ")[0].replace("&&", " && ").rstrip("& "))
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):  # variables before the command
        name, _ = words.pop(0).split("=", 1)
        assert name == "PYTHONPATH" or name.removeprefix("DML_VIZ_").lower() in CHOICES
    program, *rest = words
    program = program.rpartition("/")[2]
    if program == "make":
        assert rest[0] in targets()
    elif program == "dml-viz":
        can_be_called(rest)
    elif program in PYTHONS:
        is_call_of_python(rest)
    else:
        assert program in OTHERS, f"{guide.name} types {line}"


def can_be_called(words: list[str]) -> None:
    """Fail for a call of ``dml-viz`` that it would refuse."""
    if not words or words[0] in ("--help", "--version", "COMMAND"):
        return
    parser = cli.parsers()[words[0]]
    if words[1:] not in ([], ["-h"]) or words[0] in ("app", "serve", "watch"):
        _, others = parser.parse_known_args([word for word in words[1:] if word != "-h"])
        assert launch.streamlit_options(parser, others) == others


def is_call_of_python(words: list[str]) -> None:
    """Fail for a module that is not known, a file that is not there, or a package or extra of ours that does not exist."""
    assert words[:1] == ["-m"], words
    module, *rest = words[1:]
    assert module in {"dml_viz", "pip", "streamlit", "twine", "venv"}
    for before, word in zip(["", *rest], rest, strict=False):
        if before == "-r" or word.endswith(".py"):
            assert (ROOT / word).is_file()
        elif "dml" in word and "/" not in before:
            wheel, _, extras = word.partition("[")
            named = f"dml-viz[{extras}" if extras else "dml-viz"
            assert Requirement(named).extras <= PROJECT["optional-dependencies"].keys()
            assert wheel == "dml-viz" or wheel.endswith(f"dml_viz-{PROJECT['version']}-py3-none-any.whl")


PROGRAMS = [(guide, block) for guide in GUIDES for block in blocks(guide, "python")]


class Nowhere(Sender):
    """Sends nothing."""

    def offer_latest(self, make: object, loop: object, *, wait: bool = False) -> None:
        pass


@pytest.mark.parametrize(("guide", "program"), PROGRAMS, ids=[guide.stem for guide, _ in PROGRAMS])
def test_a_program_of_a_guide_runs(guide: Path, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dml_viz.training.watch.Sender", Nowhere)
    (tmp_path / "figure.csv").write_text("# a figure\nx,y\n1,2\n", encoding="utf-8")
    net, y = nn.Linear(4, 3), torch.arange(12) % 3
    x = torch.randn(12, 4)
    given = {"loss": nn.TripletMarginLoss(), "net": net, "x": x, "y": y, "value": torch.zeros(())}
    z = nn.functional.normalize(net(x))
    tree = ast.parse(program)
    if "notebook" in program:  # widgets: tests/export/test_notebook.py
        tree.body = [each for each in tree.body if isinstance(each, ast.ImportFrom)]
    exec(compile(tree, str(guide), "exec"), {**given, "z": z})


@for_each("guide", GUIDES, ids=[guide.stem for guide in GUIDES])
def test_links_of_a_guide_lead_to_files_that_are_there(guide: Path) -> None:
    prose = re.sub(r"```.*?```", "", guide.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", prose):
        assert (guide.parent / target).exists(), f"{guide.name} points to {target}"


def test_the_readme_has_two_screens_and_leads_every_reader_to_a_page() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    for reader in READERS:
        assert f"(docs/{reader}.md)" in text
