"""Samples and proxies under one loss: edges as wide as their weight, arrows down the gradient, paths of the proxies."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.figures._edges import chosen_edges, edge_counts, edge_traces, picked_proxy, sample_names
from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_response import ProxyResponse
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, counted, footnote, key, number, tint
from dml_viz.plot.projection import Flat, flatten
from dml_viz.plot.style import CROWD, INK, NEGATIVE, POSITIVE, QUERY, class_style
from dml_viz.plot.traces import TEXT, Trace, line, marks

HIGH, LOW = 480, 390  # pixels
MARGIN = {"l": 6, "r": 6, "t": 46, "b": 62}
REACH = 1.3  # radii from the centre of the drawing to its edge; names of proxies are outside the circle
ARROW = 0.3  # radii, the arrow of a gradient as large as the largest weight
BEHIND = 0.35  # opacity on the far side
ASIDE, NEAR = 0.2, 0.15  # radii, from a proxy to its name, and between proxies that share one
NAMED = 16  # proxies up to which they have names


def picture(model: Model, display: Display, name: str) -> go.Figure:
    """A loss on the embeddings, with the paths of the proxies if there are any."""
    response, paths = model.response(name), model.paths
    # The third loss's centres have no paths, nor do proxies when some are missing by mistake.
    if paths is None or paths.shape[1] != len(response.proxies):
        paths = np.empty((0, *response.proxies.shape))
    return _picture(model, display, response, response.loss.name, paths, LOW if name == "third_loss" else HIGH)


def picture_of_flow(model: Model, display: Display, name: str) -> go.Figure:
    """A loss after the settings' steps down the gradient, with the paths of the proxies so far."""
    flow, step = model.flows[name], model.settings.step
    state = flow.states[step]
    return _picture(model, display, state, f"{state.loss.name}, step {step}", flow.proxies[: step + 1], LOW)


def _picture(model: Model, display: Display, response: ProxyResponse, title: str, paths: np.ndarray, height: int) -> go.Figure:
    """Samples, proxies, and weights dL/ds as edges; ``paths`` (T, M, d) are the earlier places of the proxies.

    Edges and arrows are drawn to scale, so that a loss without weights has none; ``layout.meta["edges"]`` gives those drawn
    as (sample, proxy, weight).
    """
    n, y, theme = len(model.y), model.y, display.theme
    owners = model.classes[response.owners]
    flat, flat_paths = _flattened(model, response, paths)
    edges = chosen_edges(model, response)
    who, proxies = sample_names(display), [display.classes[c] for c in owners.tolist()]
    called = (*who, *(f"proxy of {name}" for name in proxies))
    hover = [f"{name}<br>arrow {length:.2g}" for name, length in zip(called, flat.lengths.tolist(), strict=True)]
    most = response.pull_and_push_bounds[0]
    counts = edge_counts(edges, response)
    here = flat.head(n)
    # In a softmax of each sample, a proxy has the longest arrow if all samples pull it together.
    factors = ARROW / most, ARROW / (most if response.softmax_per == "proxy" else most * n / len(owners))
    traces = [
        *_paths(flat_paths, owners),
        *edge_traces(edges, flat.places, n, most, who, proxies),
        _rings(flat.places, n, model.settings.sample, picked_proxy(model, response)),
        *disc.points_by_class(here, y, display.classes, hover, behind=BEHIND),
        _proxies(flat, owners, hover, theme),
        _names(flat.places[n:], proxies, theme),
        disc.arrows(here, factors[0], tint(INK[theme], 0.5 if n > CROWD else 1), np.arange(n), name="arrows of samples"),
        disc.arrows(flat, factors[1], INK[theme], np.arange(n, n + len(owners)), name="arrows of proxies", widths=(2, 2)),
    ]
    value = number(response.value, ".3f")
    alt = (
        f"{title}: {n} samples and {counted(len(owners), 'proxy', 'proxies')} on {flat.view}, loss {value}. {counts}. "
        f"The longest gradient is {flat.lengths[:n].max(initial=0):.3g} at a sample, "
        f"{flat.lengths[n:].max(initial=0):.3g} at a proxy."
    )
    pull_and_push = f'pull &nbsp; <span style="color:{NEGATIVE}">━</span> push'
    lines = (("", INK[theme], f"<b>{title}</b>, loss {value}"), ("━", POSITIVE, pull_and_push))
    notes, meta = [key(*lines), footnote(counts.replace("; ", "<br>"))], {"edges": edges.tolist(), "scale": list(factors)}
    layout = disc.layout(height, MARGIN, REACH, theme, uirevision=title, annotations=notes, meta=meta)
    return canvas(traces, layout, theme=theme, alt=alt)


def _flattened(model: Model, response: ProxyResponse, paths: np.ndarray) -> tuple[Flat, np.ndarray]:
    """Samples followed by proxies, with arrows down the gradient, and the places (T, M, 2) of the paths."""
    z, proxies = response.inputs.z.numpy(), response.proxies.numpy()
    # The chosen sample, as it was before the flow, is in front: all pictures of a sphere show the same side.
    more = np.concatenate((paths.reshape(-1, z.shape[1]), model.z[[model.settings.sample]]))
    rows = np.concatenate((z, proxies, more))
    arrows = np.concatenate((-response.tangent, -response.gradient_at_proxies, 0 * more))
    flat, count = flatten(rows, arrows, len(rows) - 1, model.embeddings.plane), len(z) + len(proxies)
    return flat.head(count), flat.places[count:-1].reshape(-1, len(proxies), 2)


def _paths(paths: np.ndarray, owners: np.ndarray) -> list[Trace]:
    return [
        line("path", *paths[:, p].T, colour=tint(class_style(c)[0], 0.7), width=2.5, dash="dot")
        for p, c in enumerate(owners.tolist())
        if len(paths) > 1
    ]


def _rings(places: np.ndarray, n: int, sample: int, proxy: int) -> Trace:
    ringed = [(sample, 20), *([(n + proxy, 30)] if proxy >= 0 else [])]
    return disc.rings("picked", places[[row for row, _ in ringed]], [size for _, size in ringed], QUERY)


def _proxies(flat: Flat, owners: np.ndarray, hover: Sequence[str], theme: str) -> Trace:
    n, colours = len(flat.places) - len(owners), [class_style(c)[0] for c in owners.tolist()]
    (x, y), size, opacity = flat.places[n:].T, 19 if len(owners) <= NAMED else 13, np.where(flat.behind[n:], BEHIND, 1)
    look: Trace = {"symbol": "star", "size": size, "opacity": opacity, "edge": (1.5, INK[theme])}
    named: Trace = {"text": list(hover[n:]), "customdata": np.arange(n, len(flat.places))}
    return marks("proxies", x, y, colour=colours, **look, hover=TEXT, **named)


def _names(places: np.ndarray, proxies: Sequence[str], theme: str) -> Trace:
    """Names beside the proxies; proxies close together share one."""
    named: list[tuple[np.ndarray, list[str]]] = []
    for point, name in zip(places, proxies, strict=True):
        short = name.removeprefix("class ")
        together = next((names for at, names in named if np.linalg.norm(at - point) < NEAR), None)
        if together is None:
            named.append((point, [short]))
        elif short not in together:
            together.append(short)
    labels = named if len(proxies) <= NAMED else []
    taken = list(places)
    for at, _ in labels:
        taken.append(_free(at, np.array(taken)))
    x, y = np.reshape(taken[len(places) :], (-1, 2)).T
    text = [f"<b>{' '.join(names)}</b>" for _, names in labels]
    look = {"type": "scatter", "mode": "text", "hoverinfo": "skip", "textfont": {"color": INK[theme]}}
    return {**look, "name": "names", "x": x, "y": y, "text": text}


def _free(at: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """A place beside a proxy far from the places ``taken`` (n, 2), away from the middle if there is room."""
    outward = np.arctan2(at[1], at[0]) if np.linalg.norm(at) > NEAR else -np.pi / 2
    turns = outward + np.pi / 4 * np.array((0, 1, -1, 2, -2, 3, -3, 4))
    around = at + ASIDE * np.stack((np.cos(turns), np.sin(turns)), 1)  # (8, 2)
    room = np.linalg.norm(around[:, None] - taken, axis=2).min(1)
    return np.asarray(around[int(np.argmax(room > 0.9 * ASIDE)) if (room > 0.9 * ASIDE).any() else int(room.argmax())])
