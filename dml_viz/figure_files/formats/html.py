"""HTML: a page that needs no other file."""

import html as escapes

from dml_viz.assets import PLOTLY
from dml_viz.figure_files.chart import with_arrays_decoded
from dml_viz.figure_files.declared import CHART, PAGE, fill_slots, html_json
from dml_viz.figure_files.formats._base import Figure, FileFormat, text_between, without_xml_forbidden
from dml_viz.plot.style import PAPER

MARK = '<script type="application/json" id="dml-viz-recipe">'


class HTML(FileFormat):
    """A page that any browser opens, in the colours of its theme."""

    label, order = "HTML, self-contained", 4
    note = "One file that any browser opens, without this app"
    media_type, writer = "text/html", "html"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        return text_between(body, MARK.encode(), b"</script>")

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        if figure.chart is None:
            return None
        spec, chart = figure.spec, with_arrays_decoded(dict(figure.chart))
        chart["layout"] = {**chart["layout"], "paper_bgcolor": PAPER[spec.theme], "autosize": True}
        library = PLOTLY.read_text(encoding="utf-8").replace("</script", "<\\/script")
        title, words, caption = (
            escapes.escape(without_xml_forbidden(text)) for text in (spec.title, figure.words, figure.caption)
        )
        drawing = fill_slots(CHART, {"words": words, "library": library, "figure": html_json(chart)})
        slots = {"title": title, "recipe": html_json(spec.write()), "drawing": drawing, "caption": caption.replace("\n", "<br>")}
        return fill_slots(PAGE, slots).encode()
