"""A formula as a list of operations, for the sums of `Loss.by_hand`: in Python, and translated in the browser."""

from collections.abc import Sequence
from typing import Any

from dml_viz.losses._scalar import Number, absolute, constant, exp, hinge, log, log_of_sum, root, total
from dml_viz.losses.formula._grammar import KINDS, VARIABLES, Node

Program = tuple[tuple[str, int, int, float], ...]


def program_of(formula: Node) -> Program:
    """The formula as a list of lines, each after its parts: the operation, the lines of two parts or a slot, a number."""
    lines: list[tuple[str, int, int, float]] = []

    def add(node: Node) -> int:
        left, right = [*map(add, node.parts), 0, 0][:2]
        number = float(KINDS.index(node.over)) if node.over else node.number
        if kind := VARIABLES.get(node.op):
            left = KINDS.index(kind)  # the slot of the variable
        lines.append((node.op + "_" * bool(node.over), left, right, number))
        return len(lines) - 1

    add(formula)
    return tuple(lines)


def value_at(
    program: Sequence[Sequence[Any]], line: int, others: list[list[Number]], slots: list[Number], knobs: list[Number]
) -> Number:
    """The value of a line of ``program`` for one anchor.

    ``others`` are four lists: squared distances to its positives, to its negatives and to both, and for each of both 1 if it is a
    positive, else 0. ``slots`` has one number of each list, at which the line is computed; ``knobs`` are m and gamma.
    """
    op, left, right, number = program[line]
    if op == "number":
        return number
    if op == "m":
        return knobs[0]
    if op == "gamma":
        return knobs[1]
    if op == "y":
        return slots[3]
    if op in ("s_p", "s_n", "s"):
        return 1 - slots[left] / 2
    if op in ("d_p", "d_n", "d"):
        return root(slots[left])
    if op in ("sum_", "mean_", "max_", "min_", "lse_"):
        return _over(program, op, left, number, others, slots, knobs)
    x = value_at(program, left, others, slots, knobs)
    if op == "neg":
        return -x
    if op == "^":
        return x**number
    if op == "hinge":
        return hinge(x)
    if op == "exp":
        return exp(x)
    if op == "log":
        return log(x)
    if op == "sqrt":
        return root(x)
    if op == "abs":
        return absolute(x)
    if op == "softplus":
        return x + log(1 + exp(-x)) if x > 0 else log(1 + exp(x))
    if op == "step":
        return 1 if x > 0 else 0
    if op == "const":
        return constant(x)
    other = value_at(program, right, others, slots, knobs)
    if op == "+":
        return x + other
    if op == "-":
        return x - other
    if op == "*":
        return x * other
    if op == "/":
        return x / other
    return max(x, other) if op == "max" else min(x, other)


def _over(
    program: Sequence[Sequence[Any]],
    op: str,
    line: int,
    kind: int,
    others: list[list[Number]],
    slots: list[Number],
    knobs: list[Number],
) -> Number:
    terms = [value_at(program, line, others, at, knobs) for at in slots_for_each_point(kind, others, slots)]
    if op == "sum_":
        return total(terms)
    if op == "mean_":
        return total(terms) / len(terms)
    if op == "lse_":
        return log_of_sum(terms)
    return max(terms) if op == "max_" else min(terms)


def slots_for_each_point(kind: int, others: list[list[Number]], slots: list[Number]) -> list[list[Number]]:
    """Copies of ``slots``, one for each other point of a kind, with its squared distance: 0 positives, 1 negatives, 2 both."""
    if kind == 0:
        return [[x, slots[1], slots[2], slots[3]] for x in others[0]]
    if kind == 1:
        return [[slots[0], x, slots[2], slots[3]] for x in others[1]]
    return [[slots[0], slots[1], others[2][k], others[3][k]] for k in range(len(others[2]))]
