"""The browser's half of exports, against Python."""

import json
import re
from dataclasses import replace

from dml_viz.figure_files.formats import FORMATS, Figure
from dml_viz.figure_files.formats._base import without_xml_forbidden
from dml_viz.figure_files.formats._script import figure_look
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import Spec
from dml_viz.plot.style import CLASS_COLOURS, CLASS_GREYS, INK, NEGATIVE, PAPER, POSITIVE, palette
from tests.javascript import Evaluate
from tests.tables import rows

SPEC = Spec("a", "fastap", "fastap")
TRACES = [
    {
        "name": "a, <b>b</b>",
        "x": [0.1, 1e-20, None],
        "y": [1, 2.5, 3],
        "text": ["u<br>v", 'w"', "é"],
        "marker": {"size": [1, 2, 3]},
    },
    {"type": "scatter", "name": "empty", "x": [], "y": []},
    {"type": "bar", "name": "", "x": ["p", "q"], "y": [3, 4], "base": [1, 2], "width": [0.5, 0.25]},
    {"type": "heatmap", "name": "map", "x": [0, 1], "z": [[1, None], [3, 4.5]]},
    {
        "type": "scatter",
        "name": "numbers",
        "x": [-0.0, -1.0, 1e5, 1e16, 1e21, 1.5e300, 2**53, 1e-4, -3.5e-5, 1e-6, 9.9e-7, 1 / 3],
    },
    {"type": "scatter", "name": "named", "x": [2, 0], "y": [0, 1000]},
    {"type": "scatter", "name": "numbered", "x": [3], "y": [0]},
    {"type": "quiver", "name": "q", "x": [1], "y": [2], "u": [0.5], "v": [-0.5]},
]
AXES = {
    "xaxis": {"tickvals": [0, 1, 2, 3], "ticktext": ["R@1", "R@2", "<b>plain</b><br>net", "8"]},
    "yaxis": {"tickvals": [0, 1000], "ticktext": ["0", "1,000"]},
}


def test_the_browser_writes_the_table_that_python_writes(evaluate: Evaluate) -> None:
    body = """
      const { csv, table } = await asset("export/csv.js");
      return csv(table(...given), { caption: "said", recipe: "{}" }, ",");
    """
    here = FORMATS["csv"].write(Figure(SPEC, caption="said", chart={"data": TRACES, "layout": AXES}))
    assert here is not None
    table = rows(here.decode())
    names = [row[table[0].index("x name")] for row in table if row[1] in ("named", "numbered")]
    assert (names, "y name" in table[0]) == (["plain net", "R@1", "8"], False)
    assert table == rows(evaluate(body, [TRACES, AXES]))


def test_the_browser_says_what_python_says_of_the_look_of_a_chart(evaluate: Evaluate) -> None:
    body = """
      const { look, redrawable } = await asset("export/script.js");
      const only = (type) => redrawable({ data: [{ type }], layout: {} });
      const { AS_SEEN } = await asset("export/recipe.js");
      return [look(given), AS_SEEN, only("scatter"), only("image"), only("scattergl"), redrawable(null)];
    """
    layout = {"width": 500, "height": 300, "paper_bgcolor": PAPER["light"], "xaxis": {"tickvals": [1, 2]}}
    more = {"uirevision": "kept", "meta": {"alt": "w"}, "hovermode": "x"}
    texts = {"type": "scatter", "mode": "text", "text": ["a<sub>b</sub>"], "x": [1], "y": ["p"], "hovertext": ["no"]}
    traces = [*({"type": "scatter", **trace} for trace in TRACES), texts]
    text, as_seen, *known = evaluate(body, {"data": traces, "layout": {**layout, **more}})
    assert json.loads(text) == figure_look(Figure(SPEC, chart={"data": traces, "layout": {**layout, **more}}))
    assert as_seen == ExportOptions().write()
    assert known == [True, False, False, False]


def test_no_file_has_characters_that_xml_forbids(evaluate: Evaluate) -> None:
    text = "".join(map(chr, range(33))) + "\x7f\xa0é\udfff\ud800\ufffd\ufffe\uffff😀"
    body = "return (await asset('export/allowed.js')).allowed(given);"
    kept = "\t\n\r \x7f\xa0é\ufffd😀"
    assert without_xml_forbidden(text) == kept
    assert evaluate(body, text) == kept
    spec = replace(SPEC, title="a\0b")
    chart = {"data": [{"type": "scatter", "name": "n\0", "x": [1], "text": ["t\0"]}], "layout": {}}
    for form in ("csv", "html", "ipynb", "py"):
        assert b"\0" not in (FORMATS[form].write(Figure(spec, "w\0", "c\0", chart)) or b"\0")


def test_greys_and_light_colours(evaluate: Evaluate) -> None:
    body = """
      const { recolour } = await asset("export/colours.js");
      const of = (name, theme) => given.colours.map(recolour({ palette: name }, given.palette, theme));
      return [of("screen", "dark"), of("light", "dark"), of("grey", "light"), of("light", "light"), of("dark", "light")];
    """
    colours = [
        INK["dark"],
        PAPER["dark"],
        POSITIVE,
        NEGATIVE,
        "rgba(0, 114, 178, 0.5)",
        "none",
        *CLASS_COLOURS,
        "rgb(114, 56, 12)",
    ]
    screen, light, grey, same, dark = evaluate(body, {"colours": colours, "palette": palette()})
    assert screen == same == colours
    assert light[:2] == ["rgb(31, 36, 48)", "rgb(255, 255, 255)"]
    assert light[5] == dark[5] == "none"
    assert dark[2] == "rgb(31, 143, 224)"  # a positive, as it is on dark paper
    assert light[-1] == "rgb(234, 175, 128)"  # half of a negative's colour on dark paper, and on light
    assert grey[4] == f"rgba({CLASS_GREYS[0]}, {CLASS_GREYS[0]}, {CLASS_GREYS[0]}, 0.5)"
    assert grey[6:-1] == [f"rgb({level}, {level}, {level})" for level in CLASS_GREYS]
    assert abs(int(re.findall(r"\d+", grey[2])[0]) - int(re.findall(r"\d+", grey[3])[0])) > 80
    assert len(set(CLASS_GREYS)) == len(CLASS_COLOURS)


def test_a_racer_drawn_on_dark_paper_has_its_tone_for_light_paper(evaluate: Evaluate) -> None:
    body = """
      const { recolour } = await asset("export/colours.js");
      const { dark, light } = given.racers.tones;
      const plain = recolour({ palette: "light" }, given, "light");
      return [dark.map(recolour({ palette: "light" }, given, "dark")), light.map(plain)];
    """
    shown, wanted = evaluate(body, palette())
    assert [tuple(re.findall(r"\d+", tone)) for tone in shown] == [
        tuple(str(int(tone[at : at + 2], 16)) for at in (1, 3, 5)) for tone in wanted
    ]
