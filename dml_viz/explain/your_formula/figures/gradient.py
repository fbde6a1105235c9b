"""The likeness of the formula's gradient to those of published losses, and the paths of points that follow it without a net."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.your_formula.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, axis, canvas, chart, key, number, score
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import EXACT, INK, QUERY, class_style
from dml_viz.plot.traces import Trace, bars, curves

LINE = 22  # px of a bar
NO_GRADIENT = "The formula has no gradient on these points, so that it has no cosine with any loss."
FORMS = ".3f", ".6f"  # of a cosine beside its bar, and under the pointer


def likeness(model: Model, display: Display) -> go.Figure:
    """A bar for each published loss without proxies: the cosine of its gradient with the formula's, the most alike on top."""
    known = {name: cosine for name, cosine in model.cosines_with_losses.items() if np.isfinite(cosine)}
    names, cosines = list(model.cosines_with_losses)[::-1], np.array(list(model.cosines_with_losses.values())[::-1])
    colours = [QUERY if name == next(iter(known), "") else EXACT for name in names]
    look: Trace = {"orientation": "h", "textposition": "outside", "cliponaxis": False, "constraintext": "none"}
    text, exact = ([number(known[name], form) if name in known else _undefined(model, name) for name in names] for form in FORMS)
    lengths, hover = np.nan_to_num(cosines).tolist(), "%{y}: %{customdata}<extra></extra>"
    cosine_bars = bars("cosine", lengths, names, colour=colours, text=text, customdata=exact, hover=hover, **look)
    examples = ", ".join(f"{name} {number(known[name], '.3f')}" for name in dict.fromkeys((*list(known)[:2], *list(known)[-1:])))
    without = len(names) - len(known)
    silent = f" {without} {'loss has' if without == 1 else 'losses have'} none here." if without else ""
    alt = f"Cosines of the formula's gradient with {len(known)} losses, from {examples}.{silent}" if known else NO_GRADIENT
    x = axis("cosine of the two gradients", min(-0.2, min(lengths) - 0.55), 1.25, zeroline=True)
    y = {"automargin": True, "ticks": "", "dtick": 1}
    return chart([cosine_bars], (), x, y, height=90 + LINE * len(names), theme=display.theme, alt=alt, bargap=0.3)


def _undefined(model: Model, name: str) -> str:
    """Why the formula's gradient has no cosine with that of the loss ``name``."""
    return "undefined" if model.gradients_of_losses[name].any() else "no gradient here"


HEIGHT, REACH = 440, 1.12


def flow(model: Model, display: Display) -> go.Figure:
    """The path of each point in the colour of its class, with a ring at the start and the point's mark at the end."""
    # The end first, because the view is that of the end.
    rows = np.stack([state.inputs.z.numpy() for state in reversed(model.flow_states)])  # (T+1, N, d)
    steps, n, dim = rows.shape
    y = model.flow_states[0].inputs.y.numpy()
    whole = rows.reshape(-1, dim)
    flat = flatten(whole, np.zeros_like(whole), min(model.settings.anchor, n - 1), model.embeddings.plane)
    places = flat.places.reshape(steps, n, 2).transpose(1, 0, 2)
    groups, names = list(disc.by_class(y, display.classes)), [display.classes[c] for c in y.tolist()]
    traces = [curves(f"paths of {group.name}", places[group.members], colour=group.colour, width=1.5) for group in groups]
    traces.append(disc.rings("start", places[:, -1], 8, INK[display.theme], 1))
    traces += [disc.points(flat.head(n), group, names, sizes=(11, 7)) for group in groups]
    first, last = (number(state.value) for state in (model.flow_states[0], model.flow_states[-1]))
    before, after = map(score, model.map_before_and_after)
    words = [
        ("○", INK[display.theme], "where a point begins"),
        ("●", class_style(0)[0], f"after {steps - 1} steps: loss {first} → {last}"),
        ("", "inherit", f"mAP {before} → {after}"),
    ]
    alt = (
        f"{n} points follow the gradient of the formula for {steps - 1} steps: the loss goes from {first} to "
        f"{last}, mAP from {before} to {after}."
    )
    layout = disc.layout(HEIGHT, {"l": 8, "r": 8, "t": 70, "b": 8}, REACH, display.theme, annotations=[key(*words)])
    return canvas(traces, layout, theme=display.theme, alt=alt)
