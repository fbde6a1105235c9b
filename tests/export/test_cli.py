"""The command ``dml-viz``: its help fits a screen, its errors are a sentence, and it ends without a traceback."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dml_viz
from dml_viz.export import cli, command, completion
from dml_viz.export.parser import EXAMPLES
from dml_viz.serve import launch
from tests.samples import for_each

ROOT = Path(__file__).parents[2]
LINES, COLUMNS = 24, 80  # of a terminal, as it opens
NAMES = tuple(cli.commands())


def end_of(*arguments: str) -> int:
    """The exit code of a call."""
    try:
        return cli.main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize("name", ["", *NAMES])
def test_help_fits_a_screen(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    assert end_of(*filter(None, [name]), "-h") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS


@for_each("name", NAMES)
def test_the_examples_of_help_are_calls_of_the_command(name: str) -> None:
    parser = cli.parsers()[name]
    examples = parser.epilog.removeprefix(EXAMPLES).splitlines()
    assert examples
    for example in examples:
        program, first, *rest = shlex.split(example.partition(" > ")[0])
        assert (program, first) == ("dml-viz", name)
        _, others = parser.parse_known_args(rest)
        assert launch.streamlit_options(parser, others) == others


def test_help_and_version_need_no_library() -> None:
    program = "import sys; from dml_viz.export import cli; cli.main(['--help']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert {"app", "serve", "watch", "look", "export", "sweep"} <= set(re.findall(r"^  (\w+)  ", done.stdout, re.MULTILINE))


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert end_of("--version") == 0
    assert capsys.readouterr().out == f"dml-viz {dml_viz.__version__}\n"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("exprot a.svg", "did you mean export?"),
        ("nothing", "choose from app, serve"),
        ("export", "SOURCE"),
        ("export a.svg --format bmp", "bmp is not known"),
        ("export a.svg --size huge", "huge is no size"),
        ("take fastap --base here.example/app", "here.example/app is no address; write one such as https://"),
        ("export a.svg --force=1", "--force"),
        ("look", "FILE"),
        ("look a.npz --port 70000", "--port: '70000' is not allowed; choose a whole number in [1, 65535]"),
        ("serve --port -1", "'-1' is not allowed"),
        ("sweep loss.bins:4_10 --seeds 11", "choose a whole number in [1, 10]"),
        ("rehearse BCDFGH --within never", "'never' is not allowed; choose a number in [0, 3600]"),
        ("rehearse abc", "'abc' is no code of six letters"),
        ("rehearse BCDFGH --url http://127.0.0.1:9", "no app answers at http://127.0.0.1:9; start it"),
        ("look nothing.npz", "there is no file"),
        ("look a.npz b.npz c.npz", "3 files are named; name one, or two to compare"),
        ("watch --host nowhere.invalid", "'nowhere.invalid' is no address of this machine"),
        ("take fastap -o below/a.html", "-o: there is no folder below; name the file to write"),
        ("take fastap -o made --force", "-o: made is a folder; name the file to write"),
        ("sweep loss.bins:4_10 --data nothing", "there is no file nothing"),
        ("sweep loss.bins:4_10 -o file.txt", "-o: the folder file.txt cannot be written to"),
        ("look run.dml", "open it with dml-viz watch run.dml"),
        ("watch file.txt", "dml-viz look opens other files"),
        ("sweep loss.bins:4_10 -o made", "sweep.csv is there already; --force writes over it"),
        ("watch nothing.dml", "there is no file nothing.dml"),
        ("sweep", "AXIS"),
        ("sweep loss.bins:4_10 --seeds 0", "seeds"),
        ("app --prot 1", "--prot is no option"),
        ("serve 8600", "8600 is no option"),
        ("app --port http", "--port"),
        ("completion tcsh", "tcsh"),
    ],
)
def test_a_wrong_call_is_answered_in_one_sentence_and_ends_with_2(
    call: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.txt").touch()
    Path("made").mkdir()
    Path("made", "sweep.csv").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert end_of(*shlex.split(call)) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1, said


@pytest.mark.parametrize(("name", "missing"), [("app", "streamlit"), ("serve", "segno"), ("export", "plotly")])
def test_without_the_app_a_command_says_what_to_type(
    name: str, missing: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(module: str) -> object:
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setattr(cli, "import_module", absent)
    assert end_of(name) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith(f'needs {missing}, which comes with the app: python -m pip install "dml-viz[app]"')


def test_the_app_is_not_started_without_streamlit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError):
        launch.app_command()


@pytest.mark.parametrize("shell", completion.FILES)
def test_shells_complete_commands_and_options(shell: str) -> None:
    script = completion.completion_script(shell)
    for name, parser in cli.parsers().items():
        assert name in script
        for option in parser._option_string_actions:
            assert option.lstrip("-") in script


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize("line", ["look ow", "export ow", "export --data ow", "watch ow", "take ow", "completion ba"])
def test_bash_completes_files_and_words(line: str, tmp_path: Path) -> None:
    (tmp_path / "own.npz").touch()
    words = ["dml-viz", *line.split()]
    call = (
        f"{completion.completion_script('bash')}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        f"$(complete -p dml-viz | grep -o '_shtab[a-z_]*') dml-viz {words[-1]} {words[-2]}; echo \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", call], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["bash" if line.startswith("completion") else "own.npz"], done.stderr


def test_progress_is_drawn_on_a_terminal_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command.draw_progress_bar(1, 2)
    assert not capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    command.draw_progress_bar(1, 2)
    assert "step 1 of 2" in capsys.readouterr().err


ENDS = """
import atexit, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a script ignores it
from dml_viz.export import cli
def main():
    atexit.register(lambda: print("ended", signal.raise_signal(signal.SIGTERM)))
    print("begun", flush=True)
    signal.pause()
cli.main = main
cli.run()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_command_once_with_all_that_ends_with_it_and_without_a_traceback(number: int, code: int) -> None:
    kept = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", ENDS], env=kept, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout
        assert program.stdout.readline() == "begun\n"
        program.send_signal(number)
        out, errors = program.communicate()
    assert (program.returncode, out, errors) == (code, "ended None\n", "")
