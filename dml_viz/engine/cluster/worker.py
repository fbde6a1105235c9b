"""A worker of a cluster: it makes a call as a local worker does, if its versions equal the server's."""

from collections.abc import Mapping

from dml_viz.engine import worker
from dml_viz.engine.versions import versions


class DifferentVersionsError(RuntimeError):
    """A worker and a server have versions that would train differently."""


def answer(message: bytes, required: Mapping[str, str]) -> bytes:
    """The answer to a pickled call from a server of the versions ``required``; with other versions, the error as an answer."""
    here = versions()
    if differing := [name for name in required if here.get(name) != required[name]]:
        listed = ", ".join(f"{name} {here.get(name, 'missing')} where this server has {required[name]}" for name in differing)
        return worker.refusal(DifferentVersionsError(f"a worker has {listed}."))
    return worker.answer(message)
