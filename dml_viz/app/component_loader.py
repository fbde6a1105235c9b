"""Components that our own scripts draw: Streamlit sends the browser a loader of a module that is served from ``assets/``."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, cast

import streamlit as st

from dml_viz.app import provenance_log, tab
from dml_viz.assets import component_file
from dml_viz.data.wire import pack
from dml_viz.room.component_data import ComponentData
from dml_viz.room.room import Component
from dml_viz.serve.files import address

# Streamlit resends this with every message, so it only fetches the module. The default export has to be synchronous.
# Cleanups of earlier reruns are called, too, so `unmount` checks whether the node has really left the page. The address is
# relative to the page's own, which also works behind a base path or a proxy's prefix. A module that does not come is asked for
# again as in assets/src/host/attempt.js, also after a minute without an answer, with all that it imports at another address,
# because browsers remember that an address failed.
LOADER = """
export default function (component) {
  const node = component.parentElement;
  node.dmlComponent = component;
  const address = new URL("%(address)s", document.baseURI).href;
  const say = (words) => node.dmlSaid !== words && (node.textContent = node.dmlSaid = words);
  const again = () => address.replace(/live-assets.[^/]+/, `$&.${Date.now()}`);
  const load = async (failures = 0) => {
    const late = setTimeout(say, 4000, "The scripts of this picture are still being loaded…");
    const over = new Promise((_, reject) => setTimeout(reject, 60000));
    try {
      const module = await Promise.race([import(failures ? again() : address), over]);
      if (node.dmlSaid) say("");
      return module;
    } catch {
      say("The scripts of this picture could not be loaded; is the server running app.py? The page goes on trying.");
    } finally {
      clearTimeout(late);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(30000, 500 * 2 ** failures) * (0.5 + Math.random() / 2)));
    if (node.isConnected) return load(failures + 1);
    node.dmlModule = undefined;
  };
  node.dmlModule ??= load();
  node.dmlModule.then((module) => module?.mount(node.dmlComponent));
  return () => node.dmlModule?.then((module) => module?.unmount(node));
}
"""


def loader_script(name: str) -> str:
    """The script that fetches and runs the component ``<name>.js`` from its address."""
    return LOADER % {"address": address(component_file(name))}


class Drawn(Protocol):
    """Draws a component of a page, and returns what the browser has reported."""

    def __call__(self, *, key: str, data: ComponentData | bytes, **options: Any) -> Any:
        """Draw it under ``key``, with callbacks among the ``options``; one that is withheld returns None."""


@cache
def component(module: str) -> Drawn:
    """A function that draws the component of ``module``, a file of assets/src/components.

    Its data is sent in a list (assets/src/host/mount.js), because Streamlit searches each value of a dict for tables. Of a
    component that would show the answer of the page's question nothing is sent, and None is returned.
    """
    made: Any = st.components.v2.component(f"dml_viz.{module}", js=loader_script(module), isolate_styles=False)

    def drawn(*, key: str, data: ComponentData | bytes, **options: Any) -> Any:
        if withheld(key):
            return None
        return made(key=key, data=data if isinstance(data, bytes) else [data], **options)

    return drawn


def withheld(key: str) -> bool:
    """Whether the component ``key``, and words about it, would show the answer of the page's question."""
    return key.replace(".", "-") in tab.WITHHELD.get()


def draw_component(
    content: Component, key: str, theme: str, on_change: Callable[[Mapping[str, Any]], None] | None = None, **more: Any
) -> None:
    """Draw a component of a room, with ``more`` in its data; ``on_change`` is called with its report before the rerun."""

    def changed() -> None:
        if on_change and (report := (st.session_state[key] or {}).get("report")):
            on_change(report)

    data = cast("ComponentData", {**content.data, "recipe": provenance_log.recipe_of(key, theme), **more})
    callback = {"on_report_change": changed} if on_change else {}
    component(content.module)(key=key, data=data if content.arrays is None else pack(data, content.arrays), **callback)
