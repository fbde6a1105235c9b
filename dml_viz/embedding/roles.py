"""Roles: which points of a scene are the query, or the anchor with its positive and its negative."""

from collections.abc import Sequence

from dml_viz.embedding.scene import Scene

ROLES = ("query", "anchor", "positive", "negative", "proxy")
UNSET = -1


def fitting_roles(indices: Sequence[int], roles: Sequence[str], scene: Scene) -> tuple[int, ...]:
    """The index of a point for each of ``roles``: the index asked for if it fits, else the first that fits; -1 where none does.

    The role "proxy" takes a proxy, any other role a point. A positive has the class of the first role and is another point;
    a negative has another class.
    """
    settled: list[int] = []
    for k, role in enumerate(roles):
        count = len(scene.proxies if role == "proxy" else scene.points)
        fit = [index for index in range(count) if _fits(index, role, roles, settled, scene)]
        index = indices[k] if k < len(indices) else UNSET
        settled.append(index if index in fit else next(iter(fit), UNSET))
    return tuple(settled)


def _fits(index: int, role: str, roles: Sequence[str], settled: Sequence[int], scene: Scene) -> bool:
    if role not in ("positive", "negative") or not settled or settled[0] == UNSET:
        return True
    of_proxy = roles[0] == "proxy"
    label = settled[0] if of_proxy else scene.labels[settled[0]]
    if role == "negative":
        return scene.labels[index] != label
    return scene.labels[index] == label and (of_proxy or index != settled[0])
