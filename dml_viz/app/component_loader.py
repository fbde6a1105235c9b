"""The script that Streamlit hands to the browser for a component: a loader of a module served from ``assets/``."""

from __future__ import annotations

from dml_viz.assets import component_file
from dml_viz.engine.files import address

# Streamlit resends this with every message, so it only fetches the module. The default export has to be synchronous;
# cleanups of earlier reruns are called too, so `unmount` looks whether the node has really left the page. The address is
# relative to the page's own, which holds behind a base path or a proxy's prefix.
LOADER = """
export default function (component) {
  const node = component.parentElement;
  node.dmlComponent = component;
  node.dmlModule ??= import(new URL("%(address)s", document.baseURI).href).catch(() => {
    node.dmlModule = undefined;
    node.textContent = "The scripts of this picture could not be loaded; is the server running app.py?";
  });
  node.dmlModule.then((module) => module?.mount(node.dmlComponent));
  return () => node.dmlModule?.then((module) => module?.unmount(node));
}
"""


def loader(name: str) -> str:
    """The loader of a component, ``<name>.js`` of assets/src/components."""
    return LOADER % {"address": address(component_file(name))}
