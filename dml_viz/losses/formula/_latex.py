"""A formula as LaTeX."""

from dml_viz.losses.formula._grammar import VARIABLES, Node


def latex_of(node: Node) -> str:
    """The formula as LaTeX."""
    inner = [latex_of(part) for part in node.parts]
    match node.op:
        case "number":
            digits, _, power = str(node.number).removesuffix(".0").partition("e")
            return rf"{digits}\cdot 10^{{{int(power)}}}".removeprefix(r"1\cdot ") if power else digits
        case "gamma" | "m" | "s" | "d" | "y":
            return {"gamma": r"\gamma"}.get(node.op, node.op)
        case "s_p" | "s_n" | "d_p" | "d_n":
            return node.op
        case "+" | "-":
            right = _bracketed(node.parts[1]) if node.parts[1].op in ("+", "-", "neg") else inner[1]
            return f"{inner[0]}{node.op}{right}"
        case "*":
            first, second = map(_factor, node.parts)
            if _ends_in_sum(node.parts[0]):
                first = _bracketed(node.parts[0])
            sign = r"\cdot " if second.lstrip("{")[0].isdigit() else r"\,"
            return f"{first}{sign}{second}"
        case "/":
            return rf"\frac{{{inner[0]}}}{{{inner[1]}}}"
        case "neg":
            return f"-{_factor(node.parts[0])}"
        case "^":
            plain = node.parts[0].op in (*VARIABLES, "hinge") or inner[0].replace(".", "").isdigit()
            base = inner[0] if plain else _bracketed(node.parts[0])
            return f"{{{base}}}^{{{node.number:g}}}"
        case "hinge":
            return f"[{inner[0]}]_+"
        case "sqrt":
            return rf"\sqrt{{{inner[0]}}}"
        case "abs" if "|" not in inner[0]:
            return f"|{inner[0]}|"
        case "sum" if node.over:
            return rf"\sum_{node.over}{_factor(node.parts[0])}"
        case _:
            sub = rf"_{node.over}" if node.over else ""
            return rf"\operatorname{{{node.op}}}{sub}\left({','.join(inner)}\right)"


def _bracketed(node: Node) -> str:
    return rf"\left({latex_of(node)}\right)"


def _factor(node: Node) -> str:
    return _bracketed(node) if node.op in ("+", "-", "neg") else latex_of(node)


def _ends_in_sum(node: Node) -> bool:
    """Whether a factor on the right of ``node`` reads as a part of its last sum."""
    return node.op == "sum" or (node.op == "*" and _ends_in_sum(node.parts[1]))
