"""The script that Streamlit hands to the browser for a component: a loader of a module served from ``assets/``."""

from __future__ import annotations

import hashlib
from functools import cache

import plotly

from dml_viz import to_javascript
from dml_viz.assets import ASSETS

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
    """The loader of ``assets/<name>.js``; its address changes with the assets, so that no browser keeps an old one."""
    return LOADER % {"address": address(name)}


def address(name: str) -> str:
    """Where ``assets/<name>.js``, or ``losses`` as the losses' script, is served, below the site's root."""
    return f"live-assets/{name}.js?v={_version()}"


@cache
def _version() -> str:
    digest = hashlib.sha256(plotly.__version__.encode())
    for path in sorted(ASSETS.glob("*.[jc]s*")):
        digest.update(path.read_bytes())
    digest.update(to_javascript.module().encode())
    return digest.hexdigest()[:12]
