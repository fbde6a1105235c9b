"""Draws the figure of FIGURE.csv again with matplotlib, into FIGURE-redrawn.pdf.

With "plotly" as its first argument it draws with Plotly, into FIGURE-redrawn.html. The numbers are those of the CSV, in the same
folder; LOOK, as Plotly has it, says what they look like.
"""

import csv
import json
import math
import re
import sys
from html import unescape
from itertools import dropwhile, pairwise
from pathlib import Path

LOOK = json.loads(r"""{"data": [], "layout": {}}""")

folder = Path(__file__).parent if "__file__" in globals() else Path()
with (folder / "FIGURE.csv").open(encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(dropwhile(lambda line: line.startswith("#"), file)))


def numbers(own, name):
    """A column of some rows; NaN for an empty cell."""
    return [float(row[name]) if row.get(name) else math.nan for row in own]


def with_data(trace, own):
    """The trace with its numbers: the rows ``own`` of the CSV."""
    needed = "xyz" if trace["type"] in ("heatmap", "contour") else "xy"  # even where all cells are empty
    columns = [name for name in ("x", "y", "z", "u", "v", "base", "width", "size") if own and name in own[0]]
    filled = [name for name in columns if name in needed or any(row[name] for row in own)]
    found = {name: numbers(own, name) for name in filled if name not in trace}
    if trace["type"] in ("heatmap", "contour"):
        for name in "xy":
            found[name] = list(trace.get(name) or dict.fromkeys(found[name]))
        across = len(found["x"])
        found["z"] = [found["z"][start : start + across] for start in range(0, len(own), across)]
    if "size" in found:
        trace = {**trace, "marker": {**trace.get("marker", {}), "size": found.pop("size")}}
    return {**trace, **found}


traces = [with_data(trace, [row for row in rows if row["trace"] == str(place)]) for place, trace in enumerate(LOOK["data"])]
layout = LOOK["layout"]


def with_plotly():
    """The figure of Plotly, written to FIGURE-redrawn.html."""
    import plotly.graph_objects as go

    figure = go.Figure({"data": traces, "layout": layout})
    figure.write_html(folder / "FIGURE-redrawn.html")
    return figure


POINT = 0.75  # of a pixel
STEPS = {"hv": "steps-post", "vh": "steps-pre", "hvh": "steps-mid"}
DASHES = {"dash": (0, (5, 3)), "dot": (0, (1.5, 2)), "dashdot": "-.", "longdash": (0, (9, 4))}
SIGNS = {
    "circle": "o", "square": "s", "diamond": "D", "x": "X", "cross": "P", "star": "*", "hexagon": "h", "pentagon": "p",
    "triangle-up": "^", "triangle-down": "v", "triangle-left": "<", "triangle-right": ">", "line-ns": "|", "line-ew": "_",
    "star-diamond": (4, 1, 0), "star-triangle-up": (3, 1, 0), "bowtie": r"$\bowtie$", "hourglass": r"$⧗$",
}  # fmt: skip
LARGER = {"star": 1.35, "diamond": 0.92}  # than matplotlib has them
ALIGNED = {"left": 0, "center": 0.5, "right": 1, "bottom": 0, "middle": 0.5, "top": 1}
template = layout.get("template", {}).get("layout", {})


def colour(name, opacity=1.0):
    """A colour of CSS, as red, green, blue and opacity, for matplotlib."""
    from matplotlib.colors import to_rgba

    if name is None or name == "transparent":
        return (0, 0, 0, 0)
    if not name.startswith("rgb"):
        return (*to_rgba(name)[:3], opacity * to_rgba(name)[3])
    *three, alpha = [*map(float, re.findall(r"[\d.]+", name)), 1.0][:4]
    return (*(part / 255 for part in three), opacity * alpha)


def contrast(ground):
    """The colour of words that can be read on another."""
    return "#444444" if 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2] > 0.55 else "white"


def edges(middles):
    """Where the cells around some middles begin and end."""
    import numpy as np

    between = (middles[1:] + middles[:-1]) / 2
    first, last = (between[0] - middles[0], middles[-1] - between[-1]) if len(between) else (0.5, 0.5)
    return np.array([middles[0] - first, *between, middles[-1] + last])


def plain(text):
    """Words without HTML; what is raised or lowered is so in mathtext, too."""
    text = unescape(re.sub(r"<br\s*/?>", "\n", str(text)).replace("$", r"\$"))

    def moved(found):
        inside = re.sub(r"([%#&_{}^~ ])", r"\\\1", re.sub(r"<[^>]*>", "", found[2]))
        return f"${'_' if found[1] == 'sub' else '^'}{{\\mathrm{{{inside}}}}}$"

    return re.sub(r"<[^>]*>", "", re.sub(r"<(sub|sup)>(.*?)</\1>", moved, text))


def words(text, pixels, ink, align="center", weight="normal"):
    """A box of words with the colours that HTML gives to some of them."""
    from matplotlib.offsetbox import HPacker, TextArea, VPacker

    looks, lines = [(ink, weight)], []
    for line in re.split(r"<br\s*/?>", text):
        runs = []
        for part in re.findall(r"<su[bp]>.*?</su[bp]>|<[^>]*>|[^<]+", line):
            if part.startswith("</"):
                looks = looks[:-1] or looks
            elif part.startswith("<") and not part.startswith("<su"):
                shade = re.search(r"color:\s*([^;\"']+)", part)
                heavy = "bold" if part.startswith("<b") else looks[-1][1]
                tone = colour(shade[1].strip()) if shade and shade[1].strip() != "inherit" else looks[-1][0]
                looks.append((tone, heavy))
            elif runs and part.startswith("<su"):
                runs[-1] = (runs[-1][0] + plain(part), runs[-1][1])
            else:
                runs.append((plain(part), looks[-1]))
        areas = [
            TextArea(own, textprops={"color": shade, "fontweight": heavy, "fontsize": POINT * pixels})
            for own, (shade, heavy) in runs or [(" ", looks[-1])]
        ]
        lines.append(HPacker(children=areas, align="baseline", pad=0, sep=0))
    return VPacker(children=lines, align=align, pad=0, sep=0.1 * pixels)


def with_matplotlib():
    """The figure of matplotlib, written to FIGURE-redrawn.pdf."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(layout["width"] / 96, layout["height"] / 96), facecolor=colour(layout["paper_bgcolor"]))
    plot = Plot(figure)
    for place, trace in enumerate(traces):
        plot.draw(place, trace)
    plot.finish()
    figure.savefig(folder / "FIGURE-redrawn.pdf", bbox_inches="tight", pad_inches=0.05)
    return figure


class Plot:
    """The panels of a figure, what is drawn into them, and their axes."""

    def __init__(self, figure):
        self.figure, self.panels = figure, {}
        self.letters = {"size": 13, "color": "#444444"} | template.get("font", {}) | layout.get("font", {})
        margin = {"l": 80, "r": 80, "t": 100, "b": 80} | template.get("margin", {}) | layout.get("margin", {})
        wide, high = layout["width"], layout["height"]
        self.left, self.bottom = margin["l"] / wide, margin["b"] / high
        self.wide, self.high = 1 - (margin["l"] + margin["r"]) / wide, 1 - (margin["t"] + margin["b"]) / high
        self.names = {}  # of the places on an axis with words
        self.barred = set()  # the axes along which bars stand
        for trace in traces:
            if trace["type"] == "bar":
                letter = "y" if trace.get("orientation") == "h" else "x"
                self.barred.add(trace.get(f"{letter}axis", letter))
            for letter in "xy":
                ref = trace.get(f"{letter}axis", letter)
                if any(isinstance(value, str) for value in trace.get(letter, ())):
                    first = self.axis(ref).get("categoryarray") or ()
                    known = self.names.setdefault(ref, list(first))
                    known += [value for value in dict.fromkeys(trace[letter]) if value not in known]

    def axis(self, ref):
        """The properties of the axis ``ref``, such as "x" or "y2"."""
        return {**template.get(f"{ref[0]}axis", {}), **layout.get(f"{ref[0]}axis{ref[1:]}", {})}

    def panel(self, x, y):
        """The panel of two axes."""
        if (x, y) not in self.panels:
            (left, right), (low, high) = ((self.axis(ref).get("domain") or (0, 1)) for ref in (x, y))
            place = (
                self.left + self.wide * left,
                self.bottom + self.high * low,
                self.wide * (right - left),
                self.high * (high - low),
            )
            shared = {f"share{ref[0]}": next((own for pair, own in self.panels.items() if ref in pair), None) for ref in (x, y)}
            panel = self.panels[x, y] = self.figure.add_axes(place, facecolor="none", label=f"{x} {y}", **shared)
            for ref, scale in ((x, panel.set_xscale), (y, panel.set_yscale)):
                if self.axis(ref).get("type") == "log":
                    scale("log")
        return self.panels[x, y]

    def at(self, ref, letter):
        """The transform of places on the axis, domain or paper ``ref``, and a panel that has it."""
        from matplotlib.transforms import Affine2D

        name = ref.partition(" ")[0]
        panel = next((own for pair, own in self.panels.items() if name in pair), next(iter(self.panels.values()), None))
        if ref == "paper":
            start, size = (self.left, self.wide) if letter == "x" else (self.bottom, self.high)
            return Affine2D().scale(size).translate(start, start) + self.figure.transFigure, None
        return (panel.transAxes if ref.endswith("domain") else panel.transData), panel

    def places(self, trace, letter):
        """The places of a trace along an axis; words have whole numbers."""
        import numpy as np

        known = self.names.get(trace.get(f"{letter}axis", letter))
        values = trace.get(letter, ())
        return np.array([known.index(value) if known and isinstance(value, str) else value for value in values], float)

    def draw(self, place, trace):
        """Draws a trace, the one at ``place``; what it draws has that number as its id."""
        panel = self.panel(trace.get("xaxis", "x"), trace.get("yaxis", "y"))
        before = set(panel.get_children())
        getattr(self, trace["type"])(panel, trace, self.places(trace, "x"), self.places(trace, "y"))
        for one in panel.get_children():
            if one not in before:
                one.set_gid(f"trace {place}")
                one.set_zorder(one.get_zorder() + 0.001 * place)

    def scatter(self, panel, trace, x, y):
        """Lines, marks, words beside them, and what is filled."""
        import numpy as np

        line, mode, clear = trace.get("line", {}), trace.get("mode", "lines"), trace.get("opacity", 1)
        known = template.get("colorway") or ["#1f77b4"]
        usual = known[len(panel.lines) % len(known)]
        step = {"hv": "post", "vh": "pre", "hvh": "mid"}.get(line.get("shape"))
        if trace.get("fill", "none") != "none":
            tone = colour(trace.get("fillcolor") or line.get("color", usual), clear)
            if trace["fill"] == "toself":
                ends = [-1, *np.flatnonzero(np.isnan(x) | np.isnan(y)), len(x)]
                for start, end in pairwise(ends):
                    if end - start > 2:
                        panel.fill(x[start + 1 : end], y[start + 1 : end], facecolor=tone, lw=0, zorder=1.4)
            else:
                low = self.before[1] if trace["fill"] == "tonexty" else 0
                panel.fill_between(x, low, y, facecolor=tone, lw=0, step=step, zorder=1.4)
        self.before = (x, y)
        if "lines" in mode and line.get("width", 2):
            dash = DASHES.get(line.get("dash"), "-")
            look = {"lw": POINT * line.get("width", 2), "drawstyle": STEPS.get(line.get("shape"), "default")}
            shade = colour(line.get("color", usual), clear)
            panel.plot(x, y, color=shade, ls=dash, label=plain(trace.get("name", "")), zorder=3, solid_joinstyle="round", **look)
        if "markers" in mode:
            self.marks(panel, trace, x, y, colour(line.get("color", usual)), clear)
        if "text" in mode:
            self.texts(panel, trace, x, y)

    def marks(self, panel, trace, x, y, usual, clear):
        """The marks of a trace, those of one kind together."""
        from matplotlib.markers import MarkerStyle

        mark, count = trace.get("marker", {}), len(x)

        def each(name, other, own=mark):
            value = own.get(name, other)
            return list(value) if isinstance(value, (list, tuple)) else [value] * count

        symbols, sizes, opacities = each("symbol", "circle"), each("size", 6), each("opacity", 1)
        shades = [
            colour(one, clear * o) if one else (*usual[:3], usual[3] * clear * o)
            for one, o in zip(each("color", None), opacities, strict=True)
        ]
        edge = mark.get("line", {})
        edges = [colour(one, clear * o) if one else None for one, o in zip(each("color", None, edge), opacities, strict=True)]
        shown = [k for k in range(count) if sizes[k] and sizes[k] > 0 and not math.isnan(x[k] + y[k])]
        if "arrow" in symbols:
            for k in shown:
                arrow = {"arrowstyle": "-|>", "color": shades[k], "lw": 0, "shrinkA": 0, "shrinkB": 0}
                arrow["mutation_scale"] = 1.3 * POINT * sizes[k]
                panel.annotate("", (x[k], y[k]), (x[k - 1], y[k - 1]), arrowprops=arrow, zorder=3.2)
            return
        for symbol in dict.fromkeys(symbols[k] for k in shown):
            sign, own = symbol.removesuffix("-open"), [k for k in shown if symbols[k] == symbol]
            is_open = symbol != sign or sign.startswith("line-")
            width = edge.get("width", 1 if is_open else 0)
            panel.scatter(
                x[own],
                y[own],
                s=[(POINT * sizes[k] * LARGER.get(sign, 1)) ** 2 for k in own],
                marker=MarkerStyle(SIGNS[sign]),
                linewidths=POINT * width,
                zorder=3.1,
                label=plain(trace.get("name", "")),
                facecolors="none" if is_open else [shades[k] for k in own],
                edgecolors=[(shades[k] if is_open else edges[k] or (0, 0, 0, 0)) if width else (0, 0, 0, 0) for k in own],
            )

    def texts(self, panel, trace, x, y):
        """The words beside the marks of a trace."""
        from matplotlib.offsetbox import AnnotationBbox

        font = {**self.letters, **trace.get("textfont", {})}
        up, side = trace.get("textposition", "middle center").split()
        weight = "bold" if font.get("weight", 400) >= 600 else "normal"
        size = trace.get("marker", {}).get("size", 0) if "markers" in trace["mode"] else 0
        away = POINT * (size / 2 + 3 if isinstance(size, (int, float)) else 6)
        toward = ({"left": -1, "center": 0, "right": 1}[side], {"bottom": -1, "middle": 0, "top": 1}[up])
        for k, text in enumerate(trace["text"] if isinstance(trace["text"], list) else [trace["text"]] * len(x)):
            if text and not math.isnan(x[k] + y[k]):
                box = words(str(text), font["size"], colour(font["color"]), weight=weight)
                own = AnnotationBbox(
                    box,
                    (x[k], y[k]),
                    xybox=(away * toward[0], away * toward[1]),
                    boxcoords="offset points",
                    frameon=False,
                    pad=0,
                    box_alignment=tuple((1 - one) / 2 for one in toward),
                    annotation_clip=False,
                    zorder=3.3,
                )
                panel.add_artist(own)

    def bar(self, panel, trace, x, y):
        """Bars, beside or on those before them."""
        import numpy as np

        level = trace.get("orientation") == "h"
        along, long = (y, x) if level else (x, y)
        here = [
            own for own in traces if own["type"] == "bar" and self.panel(own.get("xaxis", "x"), own.get("yaxis", "y")) is panel
        ]
        every = np.unique(np.concatenate([self.places(own, "y" if level else "x") for own in here]))
        unit = np.diff(every).min() if len(every) > 1 else 1
        mode = layout.get("barmode", "group")
        share = len(here) if mode == "group" else 1
        wide = np.array(trace.get("width", unit * (1 - layout.get("bargap", 0.2)) / share))
        place = next(k for k, own in enumerate(here) if own is trace)
        beside = -wide / 2 if mode != "group" or share == 1 else wide * (place - share / 2)
        start = along + np.array(trace.get("offset", beside))
        low = np.array(trace.get("base", np.zeros(len(along))), float) * np.ones(len(along))
        if mode in ("stack", "relative") and "base" not in trace:
            for own in here[:place]:
                other = dict(zip(self.places(own, "y" if level else "x"), self.places(own, "x" if level else "y"), strict=True))
                low += [other.get(at, 0) for at in along]
        mark, clear = trace.get("marker", {}), trace.get("opacity", 1)
        shades = mark.get("color", "#444444")
        shades = [colour(one, clear * mark.get("opacity", 1)) for one in (shades if isinstance(shades, list) else [shades])]
        draw = panel.barh if level else panel.bar
        size = {"width": long, "height": wide, "left": low} if level else {"height": long, "width": wide, "bottom": low}
        draw(start, **size, align="edge", color=shades, label=plain(trace.get("name", "")), lw=0, zorder=2)
        if trace.get("text") and trace.get("textposition") != "none":
            inks = [contrast(one) for one in shades] * (len(along) // len(shades))
            self.lettered(panel, trace, zip(start + wide / 2, low, long, inks, trace["text"], strict=True), level)

    def lettered(self, panel, trace, each, level):
        """The words on bars, or beyond their ends."""
        font = {**self.letters, **trace.get("textfont", {})}
        outside = trace.get("textposition") == "outside"
        begin = trace.get("insidetextanchor") == "start"
        for at, base, size, ink, text in each:
            end = base + size if outside else base if begin else base + size / 2
            shift = (4 if size >= 0 else -4) if outside or begin else 0
            place, moved = ((end, at), (shift, 0)) if level else ((at, end), (0, shift))
            across, up = (
                (ends[0] if shift > 0 else ends[1] if shift else "center") for ends in (("left", "right"), ("bottom", "top"))
            )
            aligned = {"ha": across if level else "center", "va": "center" if level else up}
            panel.annotate(
                plain(text),
                place,
                moved,
                textcoords="offset points",
                zorder=4,
                color=colour(font["color"]) if outside or "color" in trace.get("textfont", {}) else ink,
                fontsize=POINT * font["size"],
                annotation_clip=False,
                **aligned,
            )

    def shades(self, trace):
        """The colours of a grid."""
        from matplotlib import colormaps
        from matplotlib.colors import LinearSegmentedColormap

        scale = trace.get("colorscale")
        stops = [(at, colour(tone)) for at, tone in scale] if isinstance(scale, list) else None
        return LinearSegmentedColormap.from_list("scale", stops) if stops else colormaps["viridis"]

    def heatmap(self, panel, trace, x, y):
        """Cells, the words in them, and a bar of colours."""
        import numpy as np

        z, gap = np.array(trace["z"], float), POINT * trace.get("xgap", 0)
        paper = {"edgecolors": [colour(layout["paper_bgcolor"])], "lw": gap} if gap else {}
        limits = {"vmin": trace.get("zmin"), "vmax": trace.get("zmax")}
        cells = panel.pcolormesh(*map(edges, (x, y)), z, cmap=self.shades(trace), zorder=1, **limits, **paper)
        if trace.get("showscale", True):
            self.scale(panel, cells, trace.get("colorbar", {}))
        font = {"size": self.letters["size"], **trace.get("textfont", {})}
        for r, line in enumerate(trace.get("text", ()) if trace.get("texttemplate") else ()):
            for c, text in enumerate(line):
                ink = colour(font["color"]) if "color" in font else contrast(cells.cmap(cells.norm(z[r][c])))
                panel.text(x[c], y[r], plain(text), color=ink, fontsize=POINT * font["size"], ha="center", va="center", zorder=4)

    def scale(self, panel, cells, bar):
        """The bar of colours at the right of a panel."""
        place = panel.get_position()
        long = place.height * bar.get("len", 1)
        low = place.y0 if bar.get("yanchor") == "bottom" else place.y0 + (place.height - long) / 2
        wide = bar.get("thickness", 30) / layout["width"]
        axes = self.figure.add_axes((place.x1 + 10 / layout["width"], low, wide, long), label="colours")
        shown = self.figure.colorbar(cells, cax=axes)
        shown.outline.set_visible(False)
        shown.ax.tick_params(labelsize=POINT * self.letters["size"], length=0)
        if "tickvals" in bar:
            shown.set_ticks(bar["tickvals"], labels=[plain(text) for text in bar.get("ticktext", bar["tickvals"])])
        shown.ax.set_title(plain(bar.get("title", {}).get("text", "")), loc="left", fontsize=POINT * self.letters["size"])

    def contour(self, panel, trace, x, y):
        """Levels at round numbers, filled."""
        import numpy as np

        z = np.ma.masked_invalid(np.array(trace["z"], float))
        low, high = trace.get("zmin", z.min()), trace.get("zmax", z.max())
        rough = max(high - low, 1e-12) / trace.get("ncontours", 15)
        unit = 10 ** math.floor(math.log10(rough))
        step = unit * next(by for by in (2, 5, 10) if by * unit >= rough * (1 - 1e-9))
        levels = np.arange(math.floor(low / step) + 1, math.ceil(high / step)) * step
        levels = levels if len(levels) else np.array([(low + high) / 2])
        line = trace.get("line", {})
        # What is above a level lies on what is below it: colours that are not opaque grow darker.
        for k, level in enumerate([z.min(), *levels]):
            tone = self.shades(trace)(k / len(levels))
            panel.contourf(x, y, z, [level, max(z.max(), level) + step], colors=[tone], zorder=1)
        if line.get("width", 0.5):
            shade = colour(line.get("color", "#444444"))
            panel.contour(x, y, z, levels, colors=[shade], linewidths=POINT * line.get("width", 0.5), zorder=1.1)

    def quiver(self, panel, trace, x, y):
        """Arrows in their own length."""
        mark = trace.get("marker", {})
        width = mark.get("line", {}).get("width", 2) / 96
        look = {"width": width, "headwidth": 4.5, "headlength": 5, "headaxislength": 4.5, "minlength": 0.5}
        raw = {"angles": "xy", "scale_units": "xy", "scale": 1, "units": "inches"}
        panel.quiver(x, y, trace["u"], trace["v"], color=colour(mark.get("color", "#444444")), zorder=2.5, **look, **raw)

    def finish(self):
        """The axes, then the shapes and the words that are placed by them."""
        if not self.panels:
            self.panel("x", "y")
        for (x, y), panel in self.panels.items():
            for spine in panel.spines.values():
                spine.set_visible(False)
            panel.set_axisbelow(True)
            for letter, ref, other in (("x", x, y), ("y", y, x)):
                anchor = self.axis(ref).get("anchor") or ("y" if letter == "x" else "x")
                self.ruled(panel, ref, anchor == other)
                self.named(panel, letter, self.axis(ref), self.names.get(ref))
            if self.axis(x).get("scaleanchor") or self.axis(y).get("scaleanchor"):
                self.widened(panel, self.axis(x).get("constrain") == "domain")
        for shape in layout.get("shapes", ()):
            self.shape(shape)
        for note in layout.get("annotations", ()):
            self.note(note)
        self.legend()

    def widened(self, panel, whole):
        """Gives both axes of a panel one scale: it shrinks where its ranges stay ``whole``, or else the shorter one grows."""
        place = panel.get_position()
        long = {"x": place.width * layout["width"], "y": place.height * layout["height"]}
        ends = {"x": panel.get_xlim(), "y": panel.get_ylim()}
        unit = max(abs(high - low) / long[letter] for letter, (low, high) in ends.items())
        for letter, (low, high) in () if whole else ends.items():
            spare = 0.5 * (unit * long[letter] / abs(high - low) - 1) * (high - low)
            getattr(panel, f"set_{letter}lim")(low - spare, high + spare)
        panel.set_aspect("equal", adjustable="box")

    def ruled(self, panel, ref, labelled):
        """The range of the axis ``ref``, its lines, and its title."""
        letter, axis = ref[0], self.axis(ref)
        limits, ends = getattr(panel, f"set_{letter}lim"), axis.get("range")
        if ends:
            limits(*(10**end if axis.get("type") == "log" else end for end in ends))
        elif ref in self.names and ref in self.barred:
            whole = (-0.5, len(self.names[ref]) - 0.5)
            limits(*(reversed(whole) if axis.get("autorange") == "reversed" else whole))
        elif axis.get("autorange") == "reversed":
            getattr(panel, f"invert_{letter}axis")()
        elif axis.get("rangemode") == "tozero":
            limits(min(0, getattr(panel, f"get_{letter}lim")()[0]), None)
        low, high = sorted(getattr(panel, f"get_{letter}lim")())
        rule = panel.axvline if letter == "x" else panel.axhline
        if axis.get("zeroline") and low <= 0 <= high:
            width = POINT * axis.get("zerolinewidth", 1)
            rule(0, color=colour(axis.get("zerolinecolor", "#444444")), lw=width, zorder=0.8, gid="zero")
        if axis.get("showgrid", ref not in self.barred):
            panel.grid(axis=letter, color=colour(axis.get("gridcolor", "#eeeeee")), lw=POINT)
        top = axis.get("side") == "top"
        side = ("top" if top else "bottom") if letter == "x" else "left"
        shown = labelled and axis.get("showticklabels", True) and axis.get("visible", True)
        size = POINT * {**self.letters, **axis.get("tickfont", {})}["size"]
        panel.tick_params(axis=letter, which="both", **{side: bool(axis.get("ticks")) and labelled, f"label{side}": bool(shown)})
        panel.tick_params(axis=letter, which="both", color=colour(axis.get("tickcolor", "#444444")), labelsize=size)
        panel.tick_params(axis=letter, which="both", labelcolor=colour(self.letters["color"]), length=POINT * 5)
        if top:
            panel.xaxis.set_label_position("top")
            panel.tick_params(axis="x", bottom=False, labelbottom=False)
        title = axis.get("title", {})
        if labelled and title.get("text"):
            size = POINT * title.get("font", {}).get("size", self.letters["size"])
            getattr(panel, f"set_{letter}label")(plain(title["text"]), fontsize=size, color=colour(self.letters["color"]))

    def named(self, panel, letter, axis, names):
        """The ticks of an axis and their words."""
        from matplotlib import ticker

        own, logarithmic = getattr(panel, f"{letter}axis"), axis.get("type") == "log"
        percent = re.fullmatch(r"\.(\d)%", axis.get("tickformat", ""))
        suffix = axis.get("ticksuffix", "")
        if "tickvals" in axis:
            own.set_major_locator(ticker.FixedLocator(axis["tickvals"]))
            own.set_minor_locator(ticker.NullLocator())
        elif names:
            own.set_major_locator(ticker.FixedLocator(range(len(names))))
        elif "dtick" in axis and not logarithmic:
            own.set_major_locator(ticker.MultipleLocator(axis["dtick"]))
        elif logarithmic and axis.get("exponentformat") != "power":
            ends = getattr(panel, f"get_{letter}lim")()
            own.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if max(ends) / min(ends) < 2000 else (1,)))
            own.set_minor_locator(ticker.NullLocator())
        elif not logarithmic:
            own.set_major_locator(ticker.MaxNLocator(axis.get("nticks", 7), steps=(1, 2, 5, 10)))
        if "ticktext" in axis or names:
            texts = [plain(text) for text in axis.get("ticktext", names)]
            own.set_major_formatter(ticker.FixedFormatter(texts))
        elif percent:
            own.set_major_formatter(ticker.PercentFormatter(1, int(percent[1])))
        elif suffix or (logarithmic and axis.get("exponentformat") != "power") or "tickvals" in axis:
            own.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}{suffix}".replace("-", "−")))
        if axis.get("tickangle"):
            for label in own.get_ticklabels():
                label.set(rotation=-axis["tickangle"], ha="right" if letter == "x" else label.get_ha(), rotation_mode="anchor")

    def shape(self, shape):
        """A line, rectangle, ellipse or path behind or before the traces."""
        from matplotlib import patches
        from matplotlib.lines import Line2D
        from matplotlib.path import Path as Outline
        from matplotlib.transforms import blended_transform_factory

        refs = [shape.get("xref", "x"), shape.get("yref", "y")]
        (across, one), (up, two) = self.at(refs[0], "x"), self.at(refs[1], "y")
        panel = self.panels.get(tuple(ref.partition(" ")[0] for ref in refs)) or two or one
        line, fill = shape.get("line", {}), colour(shape.get("fillcolor"), shape.get("opacity", 1))
        look = {
            "lw": POINT * line.get("width", 2),
            "ls": DASHES.get(line.get("dash"), "-"),
            "gid": f"shape {shape['type']}",
            "zorder": 0.5 if shape.get("layer") == "below" else 3.5,
            "transform": blended_transform_factory(across, up),
        }
        edge = colour(line.get("color", "#444444"), shape.get("opacity", 1))
        if shape["type"] == "path":
            codes, points = [], []
            kinds = {"M": Outline.MOVETO, "L": Outline.LINETO, "C": Outline.CURVE4, "Z": Outline.CLOSEPOLY}
            for kind, rest in re.findall(r"([MLCZ])([^MLCZ]*)", shape["path"]):
                values = list(map(float, re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", rest))) or [0, 0]
                points += zip(values[::2], values[1::2], strict=True)
                codes += [kinds[kind]] * (len(values) // 2)
            own = patches.PathPatch(Outline(points, codes), fc=fill, ec=edge, **look)
        else:
            (x0, x1), (y0, y1) = (sorted((shape[f"{letter}0"], shape[f"{letter}1"])) for letter in "xy")
            if shape["type"] == "line":
                ends = [shape["x0"], shape["x1"]], [shape["y0"], shape["y1"]]
                own = Line2D(*ends, color=edge, **look)
            elif shape["type"] == "circle":
                own = patches.Ellipse(((x0 + x1) / 2, (y0 + y1) / 2), x1 - x0, y1 - y0, fc=fill, ec=edge, **look)
            else:
                own = patches.Rectangle((x0, y0), x1 - x0, y1 - y0, fc=fill, ec=edge, **look)
        if "paper" in refs and panel is None:
            self.figure.add_artist(own)
        else:
            panel.add_artist(own)
            own.set_clip_on("paper" not in refs)

    def note(self, note):
        """Words at a place."""
        from matplotlib.offsetbox import AnnotationBbox

        refs = [note.get("xref", "x"), note.get("yref", "y")]
        (across, _), (up, _) = self.at(refs[0], "x"), self.at(refs[1], "y")
        place = [
            10 ** note[ref] if self.axis(own).get("type") == "log" else note[ref] for ref, own in zip("xy", refs, strict=True)
        ]
        anchors = [note.get("xanchor", "auto"), note.get("yanchor", "auto")]
        for k, (ends, ref) in enumerate(zip((("left", "right"), ("bottom", "top")), refs, strict=True)):
            if anchors[k] == "auto":
                near = place[k] if ref == "paper" else 0.5
                anchors[k] = ends[0] if near < 1 / 3 else ends[1] if near > 2 / 3 else ("center", "middle")[k]
        font = {**self.letters, **note.get("font", {})}
        clear, ground = note.get("opacity", 1), note.get("bgcolor")
        box = words(note["text"], font["size"], colour(font["color"], clear), note.get("align", "center"))
        aligned = [ALIGNED[one] for one in anchors]
        pad = 1 + note.get("borderpad", 1)
        moved = [POINT * (note.get(f"{ref}shift", 0) + pad * (1 - 2 * one)) for ref, one in zip("xy", aligned, strict=True)]
        own = AnnotationBbox(
            box,
            place,
            xybox=moved,
            xycoords=(across, up),
            boxcoords="offset points",
            box_alignment=aligned,
            annotation_clip=False,
            pad=0.1,
            bboxprops={"fc": colour(ground), "lw": 0},
            frameon=bool(ground),
            zorder=5,
        )
        own.set_gid("note")
        self.figure.add_artist(own)

    def legend(self):
        """The names of the traces, where the figure has a legend."""
        if not layout.get("showlegend", len(traces) > 1):
            return
        kept = {f"trace {k}" for k, trace in enumerate(traces) if trace.get("showlegend", True) and trace.get("name")}
        found = {}
        for panel in self.panels.values():
            for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
                if handle.get_gid() in kept:
                    found[label] = (*found.get(label, ()), handle)
        if not found:
            return
        where = {**template.get("legend", {}), **layout.get("legend", {})}
        anchor = (self.left + self.wide * where.get("x", 1), self.bottom + self.high * where.get("y", 1))
        up, side = {"bottom": "lower", "top": "upper"}.get(where.get("yanchor"), "center"), where.get("xanchor", "left")
        self.figure.legend(
            found.values(),
            found.keys(),
            loc=f"{up} {side}",
            bbox_to_anchor=anchor,
            frameon=False,
            labelcolor=self.letters["color"],
            ncols=len(found) if where.get("orientation") == "h" else 1,
            fontsize=POINT * where.get("font", self.letters)["size"],
        )


figure = with_plotly() if "plotly" in sys.argv[1:2] else with_matplotlib()
