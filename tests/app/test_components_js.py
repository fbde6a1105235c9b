"""The components' scripts against Python: under node where there is one, else in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dml_viz.assets import ASSETS
from dml_viz.data.eval_points import WatchedSubject
from dml_viz.engine.messages import recorded_messages
from dml_viz.engine.recordings import messages
from dml_viz.engine.wire import pack, unpack
from dml_viz.plot.style import CLASS_MARKERS, class_style, palette
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Frame, Run
from tests.javascript import Evaluate, evaluating


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluate]:
    """See `tests.javascript.evaluating`."""
    with evaluating(tmp_path_factory.mktemp("assets")) as run:
        yield run


ARRAYS = {
    "view": np.arange(10, dtype=np.float32).reshape(5, 2) / 3,
    "y": np.array([3, 1, 255], np.uint8),
    "near": np.array([[0, 65535], [7, 8]], np.uint16),
    "steps": np.array([-1, 2**31 - 1], np.int32),
    "none": np.zeros((0, 4), np.float32),
}
UNPACK = """
  const { decode } = await asset("kit/packing.js");
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


def test_a_recording_comes_apart_into_its_messages(evaluate: Evaluate) -> None:
    messages = [pack({"step": step}, {"rows": np.full((1, step + 1), step, np.float32)}) for step in range(4)]
    recording = b"".join(len(message).to_bytes(4, "little") + message for message in messages)
    body = """
      const { decodeAll } = await asset("kit/packing.js");
      return decodeAll(Uint8Array.from(given)).map(({ header, arrays }) => [header.step, [...arrays.rows]]);
    """
    assert evaluate(body, list(recording)) == [[step, [step] * (step + 1)] for step in range(4)]


def test_classes_look_in_the_browser_as_they_do_in_figures(evaluate: Evaluate) -> None:
    body = """
      const { look } = await asset("kit/theme.js");
      const { SHAPES } = await asset("kit/marker.js");
      const classes = Array.from({ length: 40 }, (_, c) => look(given, "dark").ofClass(c));
      return { classes, drawn: classes.map(({ marker }) => marker in SHAPES) };
    """
    told = evaluate(body, palette())
    assert [(one["colour"], one["marker"]) for one in told["classes"]] == [class_style(c) for c in range(40)]
    assert all(told["drawn"]), f"the legend can draw all of {CLASS_MARKERS}"


def test_the_projection_turns_the_sphere_under_the_hand_and_keeps_its_size(evaluate: Evaluate) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    body = """
      const { Camera } = await asset("kit/sphere.js");
      const camera = new Camera();
      const shown = () => Object.values(camera.project(Float32Array.from(given))).map((column) => [...column]);
      const views = [shown()];
      camera.rotate(0.01, 0); views.push(shown());
      camera.rotate(-0.01, 0.01); views.push(shown());
      return views;
    """
    before, right, down = (np.array(view) for view in evaluate(body, points.ravel().tolist()))
    assert np.allclose((before**2).sum(0), 1, atol=1e-5)
    assert np.allclose(before.T @ before, points @ points.T, atol=1e-5), "a rotation and nothing else"
    front, up_to = before[2] > 0.5, 1e-4
    assert (right[0] > before[0])[front].all(), "what faces the viewer follows the hand to the right"
    assert np.allclose((before[1] - down[1])[front], 0.01 * before[2][front], atol=up_to), "and down"


def test_the_ring_belongs_to_the_nearest_class_mean(evaluate: Evaluate) -> None:
    angles = np.radians([10.0, 100.0, 250.0])
    means = np.stack((np.cos(angles), np.sin(angles)), 1)
    body = """
      const { ring } = await asset("live/circle.js");
      const points = ({ x, y }) => x.map((value, k) => [value, y[k]]).filter(([value]) => !Number.isNaN(value));
      return ring([...given, null]).map(points);
    """
    *arcs, nothing = evaluate(body, means.tolist())
    assert nothing == []
    for c, arc in enumerate(arcs):
        inner = np.array(arc)[1:-1]
        nearest = (inner @ means.T).argmax(1)
        assert (nearest == c).mean() > 0.97, "only ends of arcs touch another class"
    assert sum(map(len, arcs)) >= 240, "the whole circle is covered"


def test_proxies_are_drawn_with_the_class_that_they_stand_for(evaluate: Evaluate) -> None:
    angles = np.radians([5, 15, 25, 95, 105, 115])  # three of class 1, then three of class 4
    arrays = {"0.view": [1, 0, 0, 1], "0.proxies": np.stack((np.cos(angles), np.sin(angles)), 1).ravel().tolist()}
    body = """
      const [{ Desk }, { Scene }] = await Promise.all(["live/desk.js", "live/scene.js"].map(asset));
      const shaped = ([name, values]) => [name, Object.assign(Float32Array.from(values), { shape: [values.length / 2, 2] })];
      const desk = Object.assign(new Desk(), {
        subject: { header: { dim: 2, trained: [1, 4] } },
        group: { classes: [2, 4], members: [[0], [1]], points: [] },
        frame: { arrays: Object.fromEntries(Object.entries(given).map(shaped)) },
        look: { ofClass: (c) => ({ colour: `colour ${c}`, marker: "circle" }) },
      });
      const scene = new Scene(desk);
      const { traces } = scene.build();
      const moved = new Map(scene.changes());
      return scene.index.proxies.map((place) => [traces[place].marker.color, [...moved.get(place).x], [...moved.get(place).y]]);
    """
    ((colour, x, y),) = evaluate(body, arrays)
    assert colour == "colour 4", "class 2 was not trained on and has none"
    assert np.allclose(np.stack((x, y)), [np.cos(angles[3:]), np.sin(angles[3:])], atol=1e-6)


def test_history_takes_each_row_once_and_finds_steps(evaluate: Evaluate) -> None:
    body = """
      const { History, thinned } = await asset("live/history.js");
      const history = new History();
      for (let step = 0; step < 3000; step += 10) {
        const rows = [[step - 10, 9], [step, step / 2]].slice(step ? 0 : 1); // the first of them is known already
        const shaped = Object.assign(Float32Array.from(rows.flat()), { shape: [rows.length, 2] });
        history.add({ header: { step, columns: ["loss"] }, arrays: { rows: shaped } });
      }
      const thin = thinned(history.column("step"), 50);
      return {
        count: history.count, latest: history.latest, rows: [0, 9, 10, 15, 2990, 1e9].map((step) => history.row(step)),
        loss: [history.at("loss", 0), history.at("loss", 7), history.at("loss", 999) ?? null],
        thin: [thin.length, thin.at(-1)], kept: history.frames.size,
      };
    """
    told = evaluate(body)
    assert (told["count"], told["latest"], told["kept"]) == (300, 2990, 300)
    assert told["rows"] == [0, 0, 1, 1, 299, 299]
    assert told["loss"] == [0, 35, None]
    assert told["thin"][0] <= 50
    assert told["thin"][1] == 2990


def test_history_names_the_columns_of_each_seed_of_each_member(evaluate: Evaluate) -> None:
    body = """
      const { History } = await asset("live/history.js");
      const history = new History();
      const rows = Object.assign(Float32Array.from([10, ...Array(8).keys()]), { shape: [1, 9] });
      history.add({ header: { step: 10, columns: ["map", "r1"], members: [{}, {}] }, arrays: { rows } });
      return Object.fromEntries([...history.columns.keys()].map((name) => [name, history.at(name, 0)]));
    """
    names = ("0.0.map", "0.0.r1", "0.1.map", "0.1.r1", "1.0.map", "1.0.r1", "1.1.map", "1.1.r1")
    assert evaluate(body) == {"step": 10, **{name: k for k, name in enumerate(names)}}


@pytest.mark.parametrize("name", ["start", "race"])
def test_a_recording_opens_and_one_of_another_version_gets_one_sentence(evaluate: Evaluate, name: str) -> None:
    body = """
      const { RecordedRun } = await asset("live/source.js");
      const opened = async (bytes) => {
        globalThis.fetch = async () => ({ ok: true, arrayBuffer: async () => bytes.buffer });
        return await new Promise((resolve) => new RecordedRun("", {
          replay: (subject, frames) => resolve([subject.header.members.length, frames.length]),
          lost: (...words) => resolve(words),
        }));
      };
      return [await opened(Uint8Array.from(given[0])), await opened(Uint8Array.from(given[1]))];
    """
    recording = (ASSETS / "recorded" / f"{name}.bin").read_bytes()
    subject, *frames = map(unpack, messages(recording))
    header, arrays = subject
    old = pack({key: value for key, value in header.items() if key != "version"}, arrays)
    given = [list(recording), list(len(old).to_bytes(4, "little") + old)]
    read, refused = evaluate(body, given)
    assert read == [len(header["members"]), len(frames)]
    assert refused == ["version", "version 1, and this page reads version 2."]


def test_three_hundred_classes_are_as_many_in_the_browser(evaluate: Evaluate) -> None:
    run, y = Run(dim=2, steps=1), np.arange(300).repeat(2)
    unseen = np.zeros(len(y), bool)
    names = tuple(map(str, range(300)))
    images = np.zeros((len(y), 8, 8), np.uint8)
    watched = WatchedSubject(
        y, unseen, images, names, (0,) * 300, ("numbers",), tuple(range(300)), {}, np.zeros((600, 8), np.uint16)
    )
    z = np.zeros((len(y), 2), np.float32)
    frame = Frame(0, z, {}, {"loss": 0.5}, {"view": z}, ())
    subject, _ = recorded_messages(Experiment.of(run), watched, [([frame], 0.0)])
    body = """
      const { decode } = await asset("kit/packing.js");
      const { Group } = await asset("kit/group.js");
      const group = new Group(decode(Uint8Array.from(given)), "seen");
      return [group.classes, group.members];
    """
    classes, members = evaluate(body, list(subject))
    assert classes == list(range(300))
    assert members == [[2 * c, 2 * c + 1] for c in range(300)]


def test_axes_stay_while_the_values_fit_them(evaluate: Evaluate) -> None:
    body = """
      const { fromZero, around, decades, steps } = await asset("kit/axis.js");
      const first = fromZero(null, 0.9);
      return {
        same: [fromZero(first, 0.95) === first, fromZero(first, 0.4) === first],
        grown: fromZero(first, 2)[1], shrunk: fromZero(first, 0.1)[1],
        below: around(null, 0, 0.9), signed: around(null, -0.5, 0.2),
        decades: decades(null, 0.003, 0.4), empty: decades(null, Infinity, -Infinity),
        steps: [steps(30, 1000), steps(600, 1000), steps(0, 0)],
      };
    """
    told = evaluate(body)
    assert told["same"] == [True, True]
    assert told["grown"] >= 2
    assert 0.1 <= told["shrunk"] <= 0.16
    assert told["below"][0] < 0, "a line along zero is not cut in half"
    assert told["signed"][0] <= -0.5
    assert told["signed"][1] >= 0.2
    assert told["decades"] == [-3, 0]
    assert told["empty"] == [-2, 0]
    assert told["steps"] == [[0, 30], [0, 1000], [0, 10]]


def test_what_the_picture_told_python_does_not_come_back_as_a_wish(evaluate: Evaluate) -> None:
    body = """
      const { Reports } = await asset("live/report.js");
      const sent = [];
      const send = (name, value) => sent.push([name, value]);
      const component = (data) => ({ data, setStateValue: send, setTriggerValue: send });
      const later = () => new Promise((resolve) => setTimeout(resolve, 300));
      const reports = new Reports();
      const wishes = [reports.take(component({ step: null, query: 4, status: "running" }))];
      reports.send("step", 30); reports.send("step", 40); await later();
      wishes.push(reports.take(component({ step: 40, query: 4 })));
      reports.send("step", null); await later();
      wishes.push(reports.take(component({ step: null, query: 4 })));
      wishes.push(reports.take(component({ step: 70, query: 4 })));
      reports.status("running"); reports.status("done"); reports.status("done");
      reports.fallback(); reports.fallback();
      return { wishes, sent };
    """
    told = evaluate(body)
    assert told["wishes"] == [{"query": 4}, {}, {}, {"step": 70}]
    assert told["sent"] == [["step", 40], ["step", -1], ["status", "done"], ["fallback", True]]


def test_a_socket_asks_again_after_a_drop_and_gives_up_where_that_is_no_use(evaluate: Evaluate) -> None:
    body = """
      const { Socket } = await asset("live/socket.js");
      const empty = Uint8Array.from(given).buffer;
      let opened = 0;
      globalThis.WebSocket = class {
        static OPEN = 1;
        constructor() { opened += 1; this.readyState = 1; this.turn = opened; queueMicrotask(() => this.onopen?.()); }
        send() {
          if (this.turn === 1) queueMicrotask(() => this.onclose?.({ code: 1006 }));
          else if (this.turn === 2) queueMicrotask(() => this.onmessage?.({ data: empty }));
          else queueMicrotask(() => this.onclose?.({ code: 4404, reason: "there is no such run" }));
        }
        close() {}
      };
      const socket = new Socket("ws://here/live/x");
      const answer = await socket.ask({ want: "subject" });
      socket.close();
      const other = await new Socket("ws://here/live/y").ask({ want: "subject" }).catch(({ kind, words }) => ({ kind, words }));
      return { answer: answer.header, opened, other };
    """
    told = evaluate(body, list(pack({"kind": "tick"}, {})))
    assert told["answer"] == {"kind": "tick"}
    assert told["opened"] == 3
    assert told["other"] == {"kind": "unknown", "words": "there is no such run"}
