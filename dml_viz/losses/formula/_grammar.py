"""The grammar of formulas of losses over similarities: a text is parsed into a tree, and never run as code."""

import difflib
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

LONGEST, DEEPEST, MOST_PARTS = 300, 24, 150
LARGEST = 1e6  # largest number in a formula
EXPONENTS = range(-4, 11)
KINDS = "pna"
# The pairs of an anchor that a name depends on: positive ones (p), negative ones (n), or all (a).
VARIABLES = {"s_p": "p", "d_p": "p", "s_n": "n", "d_n": "n", "s": "a", "d": "a", "y": "a", "m": "", "gamma": ""}
FUNCTIONS = {"exp": 1, "log": 1, "sqrt": 1, "abs": 1, "softplus": 1, "step": 1, "const": 1, "max": 2, "min": 2}
REDUCTIONS = ("sum", "mean", "max", "min", "lse")
REDUCING = {f"{name}{ending}": (name, kind) for name in REDUCTIONS for ending, kind in (("_p", "p"), ("_n", "n"), ("_a", "a"))}
NAMES = (*VARIABLES, *FUNCTIONS, *REDUCING)
MEANT = {**dict.fromkeys(("relu", "hinge"), "write [x]_+"), "sigmoid": "write 1 / (1 + exp(-x))", "margin": "a margin is m"}
SPELT = {"γ": "gamma", "sₚ": "s_p", "sₙ": "s_n", "dₚ": "d_p", "dₙ": "d_n"}
SIGNS = {"−": "-", "·": "*", "×": "*", "**": "^"}
POWERS = {"²": 2.0, "³": 3.0}
# What a reduction over pairs of a kind cannot have within: pairs of any kind and those of one kind are in different lists.
MIXED = {
    "p": "goes over positive pairs (s_p, d_p), and there is a pair of any kind (s, d, y) within; write it with mean_a",
    "n": "goes over negative pairs (s_n, d_n), and there is a pair of any kind (s, d, y) within; write it with mean_a",
    "a": "goes over pairs of any kind (s, d, y), and there is a positive or negative one within; write it with mean_p or mean_n",
}
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[sd][ₚₙ]|γ|[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>\]_\+|\*\*|[-+*/^()\[\],−·×²³])"
)


class FormulaError(ValueError):
    """A text that is no formula: one sentence, which begins with the place (``at`` + 1) of the error in the text."""

    def __init__(self, at: int, words: str) -> None:
        super().__init__(f"At place {at + 1}: {words}")
        self.at = at


@dataclass(frozen=True)
class Node:
    """A part of a formula that begins at place ``at``: a number, a name, or the operation ``op`` on its ``parts``.

    A reduction goes over the pairs of kind ``over``: "p", "n" or "a".
    """

    op: str
    parts: tuple["Node", ...] = ()
    number: float = 0.0
    at: int = 0
    over: str = ""

    @cached_property
    def free_kinds(self) -> frozenset[str]:
        """The kinds of pairs that the value depends on, less those that a reduction goes over."""
        below = frozenset[str]().union(*(part.free_kinds for part in self.parts))
        return (below | set(VARIABLES.get(self.op, ""))) - set(self.over)

    @cached_property
    def named(self) -> frozenset[str]:
        """The kinds of pairs that occur anywhere in the part."""
        below = frozenset[str]().union(*(part.named for part in self.parts))
        return below | set(VARIABLES.get(self.op, self.over))

    @cached_property
    def knobs(self) -> frozenset[str]:
        """The knobs, m and gamma, that occur in the part."""
        below = frozenset[str]().union(*(part.knobs for part in self.parts))
        return below | {self.op} if VARIABLES.get(self.op) == "" else below


@lru_cache(maxsize=256)
def parsed(text: str) -> Node:
    """The formula written as ``text``; `FormulaError`, which says where and what was expected, for any other text."""
    if len(text) > LONGEST:
        raise FormulaError(LONGEST, f"a formula has at most {LONGEST} characters, this one has {len(text):,}")
    return _Parser(text).whole()


class _Parser:
    """Parser of one text from left to right, with a method for each kind of part."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        self._next = self._depth = self._nodes = 0
        at = 0
        while at < len(text):
            token = TOKEN.match(text, at)
            if not token:
                raise FormulaError(at, f"{text[at]!r} has no meaning in a formula")
            if token.lastgroup != "space":
                self._tokens.append((token.lastgroup or "", SIGNS.get(token[0], SPELT.get(token[0], token[0])), at))
            at = token.end()
        self._tokens.append(("end", "", len(text)))

    def whole(self) -> Node:
        node = self._sum()
        if self._kind != "end":
            raise self._expected("an operator or the end")
        if not node.named:
            raise FormulaError(0, "there is no similarity in the formula, so it has no gradient; use s_p, s_n or s")
        return node

    @property
    def _kind(self) -> str:
        return self._tokens[self._next][0]

    @property
    def _text(self) -> str:
        return self._tokens[self._next][1]

    @property
    def _at(self) -> int:
        return self._tokens[self._next][2]

    def _read(self) -> tuple[str, int]:
        """The text and the place of the next token, which is passed."""
        self._next += 1
        return self._tokens[self._next - 1][1:]

    def _expected(self, what: str) -> FormulaError:
        instead = "the formula ends" if self._kind == "end" else f"there is {self._text[:20]!r}"
        return FormulaError(self._at, f"{what} is expected, but {instead}")

    def _skip(self, text: str) -> None:
        if self._text != text or self._kind == "end":
            raise self._expected(text)
        self._next += 1

    def _node(self, op: str, *parts: Node, at: int, number: float = 0.0, over: str = "") -> Node:
        self._nodes += 1
        if self._nodes > MOST_PARTS:
            raise FormulaError(at, f"the formula has more than {MOST_PARTS} terms and operations")
        node = Node(op, parts, number, at, over)
        if over and "a" in (kinds := parts[0].free_kinds | {over}) and len(kinds) > 1:
            raise FormulaError(at, f"{op}_{over} {MIXED[over]}")
        if "a" in node.free_kinds and len(node.free_kinds) > 1:
            raise FormulaError(
                at,
                "a pair of any kind (s, d, y) cannot be in one term with a positive or negative one; put mean_a around the first",
            )
        return node

    def _sum(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise FormulaError(self._at, f"brackets are nested deeper than {DEEPEST}")
        node = self._product()
        while self._text in ("+", "-"):
            op, at = self._read()
            node = self._node(op, node, self._product(), at=at)
        self._depth -= 1
        return node

    def _product(self) -> Node:
        node = self._signed()
        while self._kind == "name" or self._text in ("*", "/", "(", "["):
            op, at = self._read() if self._text in ("*", "/") else ("*", self._at)  # as on paper: 2 s_p, or gamma (s_n - m)
            node = self._node(op, node, self._signed(), at=at)
        return node

    def _signed(self) -> Node:
        signs = []
        while self._text in ("+", "-"):
            signs.append(self._read())
        node = self._power()
        for sign, at in reversed(signs):
            node = self._node("neg", node, at=at) if sign == "-" else node
        return node

    def _power(self) -> Node:
        node = self._primary()
        while self._text in ("^", *POWERS):
            text, at = self._read()
            exponent = POWERS[text] if text in POWERS else self._exponent()
            node = self._node("^", node, at=at, number=exponent)
        return node

    def _exponent(self) -> float:
        at, bracketed, sign = self._at, self._text == "(", 1.0
        self._next += bracketed
        if self._text == "-":
            sign, self._next = -1.0, self._next + 1
        if self._kind != "number":
            raise self._expected("a number as exponent")
        exponent = sign * float(self._text)
        if exponent not in EXPONENTS:
            ends = f"{EXPONENTS[0]} to {EXPONENTS[-1]}".replace("-", "−")
            raise FormulaError(at, f"an exponent is a whole number from {ends}; roots are sqrt( )")
        self._next += 1
        if bracketed:
            self._skip(")")
        return exponent

    def _primary(self) -> Node:
        kind, text, at = self._tokens[self._next]
        if kind not in ("number", "name") and text not in ("(", "["):
            raise self._expected("a number, a name, ( or [")
        self._next += 1
        if kind == "number":
            if not float(text) <= LARGEST:
                raise FormulaError(at, f"numbers go up to {LARGEST:,.0f}")
            if self._kind == "number":
                raise self._expected("an operator")
            return self._node("number", at=at, number=float(text))
        if kind == "name":
            return self._named(text, at)
        node = self._sum()
        self._skip(")" if text == "(" else "]_+")
        return node if text == "(" else self._node("hinge", node, at=at)

    def _named(self, name: str, at: int) -> Node:
        if name in VARIABLES:
            return self._node(name, at=at)
        if name not in NAMES:
            near = difflib.get_close_matches(name[:20], NAMES, 1, 0.5)
            known = (*FUNCTIONS, "sum_p", "mean_n and the like") if self._text == "(" else VARIABLES
            hint = MEANT.get(name) or (f"{near[0]} is the nearest name" if near else f"choose from {', '.join(known)}")
            raise FormulaError(at, f"{name[:20]!r} is not known; {hint}")
        self._skip("(")
        parts = [self._sum()]
        while self._text == ",":
            self._next += 1
            parts.append(self._sum())
        self._skip(")")
        count = FUNCTIONS.get(name, 1)
        if len(parts) != count:
            raise FormulaError(at, f"{name} takes {count} argument{'s' * (count > 1)}, not {len(parts)}")
        op, over = REDUCING.get(name, (name, ""))
        return self._node(op, *parts, at=at, over=over)
