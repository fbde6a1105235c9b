"""The components' scripts against Python: under node where there is one, else in a browser."""

import numpy as np
import pytest

from dml_viz.assets import ASSETS
from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.data.wire import messages, pack, unpack
from dml_viz.engine.messages import recorded_messages
from dml_viz.plot.style import CLASS_MARKERS, class_style, on_paper, palette
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Frame, Run
from tests.javascript import Evaluate

ARRAYS = {
    "view": np.arange(10, dtype=np.float32).reshape(5, 2) / 3,
    "y": np.array([3, 1, 255], np.uint8),
    "near": np.array([[0, 65535], [7, 8]], np.uint16),
    "steps": np.array([-1, 2**31 - 1], np.int32),
    "none": np.zeros((0, 4), np.float32),
}
UNPACK = """
  const { decode } = await asset("runs/packing.js");
  const padded = Uint8Array.from([...Array(given.shift).fill(9), ...given.bytes]);
  const { header, arrays } = decode(given.shift ? padded.subarray(given.shift) : padded.buffer);
  const told = (array) => ({ shape: array.shape, values: [...array], kind: array.constructor.name });
  return { header, arrays: Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, told(array)])) };
"""


@pytest.mark.parametrize("shift", [0, 1, 4])
def test_the_browser_reads_what_python_packs_wherever_it_lies_in_memory(evaluate: Evaluate, shift: int) -> None:
    message = pack({"kind": "frame", "step": 3, "scalars": {"loss": float("nan")}, "name": "süß"}, ARRAYS)
    read = evaluate(UNPACK, {"bytes": list(message), "shift": shift})
    assert read["header"] == {"kind": "frame", "step": 3, "scalars": {"loss": None}, "name": "süß"}
    assert list(read["arrays"]) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert read["arrays"][name]["shape"] == list(array.shape)
        assert np.array_equal(np.array(read["arrays"][name]["values"], array.dtype), array.ravel())
    assert [array["kind"] for array in read["arrays"].values()] == [
        "Float32Array",
        "Uint8Array",
        "Uint16Array",
        "Int32Array",
        "Float32Array",
    ]


def test_a_recording_is_split_into_its_messages(evaluate: Evaluate) -> None:
    messages = [pack({"step": step}, {"rows": np.full((1, step + 1), step, np.float32)}) for step in range(4)]
    recording = b"".join(len(message).to_bytes(4, "little") + message for message in messages)
    body = """
      const { decodeAll } = await asset("runs/packing.js");
      return decodeAll(Uint8Array.from(given)).map(({ header, arrays }) => [header.step, [...arrays.rows]]);
    """
    assert evaluate(body, list(recording)) == [[step, [step] * (step + 1)] for step in range(4)]


def test_classes_look_in_the_browser_as_they_do_in_figures(evaluate: Evaluate) -> None:
    body = """
      const { look } = await asset("draw/look.js");
      const { SHAPES } = await asset("draw/marker.js");
      const classes = Array.from({ length: 40 }, (_, c) => look(given, "dark").ofClass(c));
      return { classes, drawn: classes.map(({ marker }) => marker === "circle" || marker in SHAPES) };
    """
    result = evaluate(body, palette())
    assert [(one["colour"], one["marker"]) for one in result["classes"]] == [
        (on_paper(colour, "dark"), marker) for colour, marker in map(class_style, range(40))
    ]
    assert all(result["drawn"]), f"the legend can draw all of {CLASS_MARKERS}"


@pytest.mark.parametrize("name", ["start", "race"])
def test_a_recording_opens_and_one_of_another_version_gets_one_sentence(evaluate: Evaluate, name: str) -> None:
    body = """
      const { RecordedRun } = await asset("live/source.js");
      const opened = async (bytes) => {
        globalThis.fetch = async () => ({ ok: true, headers: new Headers(), arrayBuffer: async () => bytes.buffer });
        return await new Promise((resolve) => new RecordedRun("", {
          replay: (subject, frames) => resolve([subject.header.members.length, frames.length]),
          interrupted: (...words) => resolve(words),
          lost: (...words) => resolve(words),
        }));
      };
      return [await opened(Uint8Array.from(given[0])), await opened(Uint8Array.from(given[1]))];
    """
    recording = (ASSETS / "recorded" / f"{name}.bin").read_bytes()
    subject, *frames = map(unpack, messages(recording))
    header, arrays = subject
    old = pack({key: value for key, value in header.items() if key != "version"}, arrays)
    given = [list(recording), list(2 * (len(old).to_bytes(4, "little") + old))]
    read, refused = evaluate(body, given)
    assert read == [len(header["members"]), len(frames)]
    assert refused == ["version", "version 1, and this page reads version 2."]


def test_the_browser_has_three_hundred_classes_too(evaluate: Evaluate) -> None:
    run, y = Run(dim=2, steps=1), np.arange(300).repeat(2)
    unseen = np.zeros(len(y), bool)
    names = tuple(map(str, range(300)))
    images = np.zeros((len(y), 8, 8), np.uint8)
    subset = EvaluationSubset(
        y, unseen, images, names, (0,) * 300, ("numbers",), tuple(range(300)), {}, np.zeros((600, 8), np.uint16)
    )
    z = np.zeros((len(y), 2), np.float32)
    frame = Frame(0, z, {}, {"loss": 0.5}, {"view": z}, ())
    subject, _ = recorded_messages(Experiment.of(run), subset, [([frame], 0.0)])
    body = """
      const { decode } = await asset("runs/packing.js");
      const { Group } = await asset("runs/group.js");
      const group = new Group(decode(Uint8Array.from(given)), "seen");
      return [group.classes, group.members];
    """
    classes, members = evaluate(body, list(subject))
    assert classes == list(range(300))
    assert members == [[2 * c, 2 * c + 1] for c in range(300)]
