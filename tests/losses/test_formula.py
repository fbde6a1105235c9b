"""A typed loss: it equals the declared ones, reports the place of an error, and works in the browser."""

import pickle
import random
import re
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import KNOWN, LOSSES, formula
from dml_viz.losses.formula import Formula, FormulaError, parsed, parsed_and_checked
from dml_viz.losses.formula._grammar import REDUCING, VARIABLES
from dml_viz.losses.formula._latex import latex_of
from dml_viz.losses.formula._values import Anchors
from tests.javascript import Evaluate
from tests.to_javascript.test_to_javascript import RUN

# Typed formulas, and the equal losses of ours.
TYPED = {
    "[d_p^2 - d_n^2 + 0.2]_+": LOSSES["triplet"](),
    "[dₚ − dₙ + 0.2]_+": LOSSES["triplet"](squared=False),
    "[max_p(d_p) - min_n(d_n) + 0.2]_+": LOSSES["triplet"](squared=False, mining="batch-hard"),
    "y d^2 / 2 + (1 - y) [1 - d]_+^2 / 2": LOSSES["contrastive"](),
    "y d² + (1 − y) [1 − d]_+²": LOSSES["contrastive"](form="squares"),
    "y [d - 0.8]_+ + (1 - y) [1.2 - d]_+": LOSSES["pairwise_margin"](),
    "log(1 + sum_p(exp(-2 (s_p - 0.5)))) / 2 + log(1 + sum_n(exp(50 (s_n - 0.5)))) / 50": LOSSES["multi_similarity"](
        mining=False
    ),
    "softplus(lse_n(80 const([s_n + 0.4]_+) (s_n - 0.4)) + lse_p(-80 const([1.4 - s_p]_+) (s_p - 0.6)))": LOSSES["circle"](),
    "log(1 + sum_n(exp((s_n - s_p) / 0.1)))": LOSSES["nt_xent"](tau=0.1),
    "lse_a(s / 0.1) - mean_p(s_p) / 0.1": LOSSES["sup_con"](),
    "lse_a(-d^2) - lse_p(-d_p^2)": LOSSES["nca"](),
    "sum_p([d_p - 0.8]_+) / max(1, sum_p(step(d_p - 0.8)))"
    "+ sum_n(const(exp(10 (1.2 - d_n))) [1.2 - d_n]_+) / max(1, sum_n(step(1.2 - d_n) const(exp(10 (1.2 - d_n)))))": LOSSES[
        "ranked_list"
    ](differentiated="both ends"),
    # At these knobs every pair of the batch is active, and the margin loss's mean over active ones is that over all.
    "y [d - 0.2]_+ + (1 - y) [2.2 - d]_+": LOSSES["margin"](alpha=1.0, over="pairs"),
    "([d_p - 0.2]_+ + [2.2 - d_n]_+) / 2": LOSSES["margin"](alpha=1.0),
}
# Texts that are no formulas, the place of the error, and a word of the message.
REFUSED = {
    "": (1, "number"), "   ": (4, "ends"), "s_p +": (6, "ends"), "(s_p": (5, ")"), "s_p)": (4, "operator"),
    "[s_p": (5, "]_+"), "[s_p]": (5, "]_+"), "s_p ^": (6, "exponent"), "s_p ^ s_n": (7, "exponent"),
    "s_p^0.5": (5, "whole"), "s_p^99": (5, "whole"), "s_p^(-5)": (5, "whole"), "s_p^(2": (7, ")"), "2 3 s_p": (3, "operator"),
    "sp": (1, "s_p"), "cos(s_p)": (1, "known"), "exp s_p": (5, "("), "exp()": (5, "number"), "exp(s_p, s_n)": (1, "takes"),
    "max(s_p)": (1, "takes"), "log(s_p)": (1, "finite"), "sqrt(s_n)": (1, "finite"), "1/s_p * 0 + 1/(s_p - s_p)": (14, "finite"),
    "exp(1000 s_p)": (1, "finite"), "exp(exp(exp(9 s_p)))": (5, "finite"), "3": (1, "similarity"), "m + gamma": (1, "similarity"),
    "const(s_p)": (1, "slope"), "[s_p - 5]_+": (1, "slope"), "s_p s": (5, "mean_a"), "y s_n": (3, "mean_a"),
    "1e7 s_p": (1, "numbers"), "1e999 s_p": (1, "numbers"), "0x10 s_p": (2, "known"), "s_p ** ** 2": (8, "exponent"),
    "* s_p": (1, "number"), "s_p, s_n": (4, "operator"), "__import__('os')": (12, "no meaning"),
    "__import__(os).system": (15, "no meaning"), "s_p.__class__": (4, "no meaning"), "lambda: 0": (7, "no meaning"),
    "open(s_p)": (1, "known"), "eval(s_p)": (1, "known"), "s_p if s_n else 0": (5, "known"), "s_p; s_n": (4, "no meaning"),
    "s_p\x00": (4, "no meaning"), "<script>": (1, "no meaning"), "sₚₚ": (3, "no meaning"), "'s_p'": (1, "no meaning"),
    "(" * 40 + "s_p" + ")" * 40: (25, "nested"), "s_p" + " + s_p" * 60: (301, "300"), "-" * 200 + "s_p": (51, "operations"),
    "s_p * " * 49 + "(" * 3: (298, "ends"), "😀 s_p": (1, "no meaning"), "s_p = 1": (5, "no meaning"),
    "s_p < 1": (5, "no meaning"), "mean_a(s_p)": (1, "mean_p or mean_n"), "2 lse_p(s)": (3, "mean_a"), "max_n(y)": (1, "mean_a"),
    "[sum_p(mean_p(s))]_+": (8, "mean_a"), "s_p + min_a(s_n)": (7, "mean_p"), "mean_a(m s_n - mean_n(s_n))": (1, "any kind"),
}  # fmt: skip


@pytest.fixture
def batch() -> tuple[Tensor, Tensor]:
    z = torch.randn(15, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    return normalise(z), torch.arange(5).repeat_interleave(3)


def test_a_typed_formula_equals_the_declared_loss(batch: tuple[Tensor, Tensor]) -> None:
    assert len({type(loss) for loss in TYPED.values()}) >= 10
    for text, loss in TYPED.items():
        typed = Formula(text)
        assert float(typed.value(*batch)) == pytest.approx(float(loss.value(*batch)), abs=1e-9), text
        torch.testing.assert_close(typed.gradient(*batch), loss.gradient(*batch), rtol=0, atol=1e-9, msg=text)


def test_every_invalid_formula_gets_a_sentence_with_the_place_of_the_error() -> None:
    assert len(REFUSED) >= 50
    for text, (place, word) in REFUSED.items():
        with pytest.raises(FormulaError) as error:
            parsed_and_checked(text)
        message = str(error.value)
        assert message.startswith(f"At place {place}: "), (text, message)
        assert word in message, (text, message)
        assert not message.endswith("."), message
        assert len(message) < 200
        assert "\n" not in message


def test_every_nesting_of_reductions_is_computed_or_refused(batch: tuple[Tensor, Tensor]) -> None:
    means = [name for name in REDUCING if name.startswith("mean")]
    texts = [f"{name}({inner})" for name in REDUCING for inner in VARIABLES]
    texts += [f"{one}({other}({inner}))" for one in means for other in means for inner in VARIABLES]
    computed = []
    for text in texts:
        try:
            parsed_and_checked(text)
        except FormulaError:
            continue
        typed = Formula(text)
        assert float(typed.of_pairs(typed.pairs(*batch, {}))) == pytest.approx(float(typed.by_hand(*batch))), text
        computed.append(text)
    assert {"mean_n(s_p)", "mean_p(mean_n(s_n))", "mean_a(mean_p(s_p))", "max_a(d)"} <= {*computed}


def random_formula(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(("s_n", "d_n", "2", "0.3"))
    shape = rng.choice(
        ("sum_n(A)", "-(A)", "abs(A)", "exp(A)", "[A]_+", "(A)^2", "(A)+(B)", "(A)-(B)", "(A)/(B)", *4 * ["(A)*(B)"])
    )
    return re.sub("[AB]", lambda _: random_formula(rng, depth - 1), shape)


def typed_from(latex: str) -> str:
    """The formula that a reader of ``latex`` types; a sum goes on to the next + or −, or to the end of its brackets."""
    for form, typed in ((r"\|(.*?)\|", r"abs(\1)"), (r"\\operatorname\{(\w+)\}", r"\1"), (r"\\(left|right|frac|,)", " ")):
        latex = re.sub(form, typed, latex)
    latex = latex.replace("}{", ")/(").replace(r"\cdot", "*").replace("{", "(").replace("}", ")")
    text, sums = "", [0]  # sums that go on, in each bracket
    for sign in re.findall(r"\\sum_n|\]_\+|.", latex):
        if sign in ("+", "-", ")", "]_+"):
            text, sums[-1] = text + ")" * sums[-1], 0
        if sign in ("(", "["):
            sums.append(0)
        if sign in (")", "]_+"):
            sums.pop()
        sums[-1] += sign == r"\sum_n"
        text += "sum_n(" if sign == r"\sum_n" else sign
    return text + ")" * sums[0]


def test_a_printed_formula_reads_as_the_one_typed(batch: tuple[Tensor, Tensor]) -> None:
    def value(text: str) -> float:
        anchors = Anchors(parsed(text), pairs)
        return float(anchors.total(pairs.d2[anchors.rows], slice(None), formula.KNOBS))

    pairs, rng = Formula().pairs(*batch, {}), random.Random(0)
    texts = ["sum_n(s_n) s_n", "sum_n(s_n s_n)", "s_n sum_n(s_n) s_n", "2 (2 s_n)", "2 * 3^2 s_n", "abs(s_n abs(m) d_n)"]
    for text in [*texts, *(f"s_n + {random_formula(rng, 4)}" for _ in range(200))]:
        again = typed_from(latex_of(parsed(text)))
        assert value(again) == pytest.approx(value(text), nan_ok=True), (text, again)


def test_a_number_is_printed_with_the_digits_typed() -> None:
    printed = {number: number for number in ("3", "0.25", "123456.789", "0.1234567890123", "1000000")}
    printed |= {"0.00001": "10^{-5}", "2.5e-7": r"2.5\cdot 10^{-7}"}
    printed |= {"0.5^2": "{0.5}^{2}", "1e-5^2": r"{\left(10^{-5}\right)}^{2}"}
    for number, latex in printed.items():
        assert latex_of(parsed(f"{number} s_n")) == rf"{latex}\,s_n"
    assert latex_of(parsed("s_n * 1e-5")) == r"s_n\cdot 10^{-5}"


def test_a_formula_that_cannot_be_computed_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formula.Anchors, "total", lambda *_: torch.ones(4) + torch.ones(9))
    with pytest.raises(FormulaError, match="At place 1: the formula cannot be computed"):
        parsed_and_checked("s_p + 2")


def test_the_sums_in_python_and_in_the_browser_agree(batch: tuple[Tensor, Tensor], evaluate: Evaluate) -> None:
    z, y = batch[0], torch.tensor([0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 4])  # one point is alone in its class
    losses = [Formula(), *map(Formula, TYPED)]
    scene = {"n": len(y), "dim": z.shape[1], "z": z.flatten().tolist(), "y": y.tolist(), "learnt": {}}
    found = evaluate(RUN, [["formula", loss.in_browser, scene] for loss in losses])
    for loss, browser in zip(losses, found, strict=True):
        value, gradient = float(loss.value(z, y)), loss.gradient(z, y)
        assert float(loss.by_hand(z, y)) == pytest.approx(value, abs=1e-9), loss.text
        assert float(loss.of_pairs(loss.pairs(z, y, {}))) == pytest.approx(value, abs=1e-9)
        assert browser["value"] == pytest.approx(value, abs=1e-9), loss.text
        in_browser = torch.tensor(browser["z"], dtype=z.dtype).reshape(z.shape)
        torch.testing.assert_close(in_browser, gradient, rtol=0, atol=1e-9)


def test_anchors_taken_in_turn_make_no_difference(batch: tuple[Tensor, Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [Formula(text).gradients(*batch) for text in TYPED]
    monkeypatch.setattr("dml_viz.losses.formula._values.ELEMENTS", 100)
    for text, at_once in zip(TYPED, whole, strict=True):
        in_turn = Formula(text).gradients(*batch)
        torch.testing.assert_close(in_turn.z, at_once.z, rtol=0, atol=1e-12)
        torch.testing.assert_close(in_turn.value, at_once.value, rtol=1e-12, atol=0)


def test_a_batch_without_the_pairs_that_a_formula_names_gives_0(batch: tuple[Tensor, Tensor]) -> None:
    for y in (torch.zeros(15, dtype=torch.int64), torch.arange(15)):
        assert float(Formula().value(batch[0], y)) == 0
        assert not Formula().gradient(batch[0], y).any()


def test_large_exponents_do_not_overflow_in_float32(batch: tuple[Tensor, Tensor]) -> None:
    exact = Formula("log(1 + sum_n(exp(100 (s_n + 1))))")
    single = exact.gradient(batch[0].float(), batch[1])
    torch.testing.assert_close(single, exact.gradient(*batch).float(), rtol=1e-4, atol=1e-4)


def test_a_formula_is_a_loss_by_name_but_not_among_the_published() -> None:
    assert "formula" in KNOWN
    assert "formula" not in LOSSES
    typed = Formula("s_n - s_p", m=0.5)
    assert pickle.loads(pickle.dumps(typed)) == typed
    assert replace(typed, m=0.25).text == typed.text
    with pytest.raises(ValueError, match=r"At place 1: 's_q' is not known; s_. is the nearest name"):
        Formula("s_q")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("foo(s_n)", "choose from exp, log"),
        ("relu(s_n - s_p)", r"write \[x\]_\+"),
        ("sigmoid(s_n)", r"write 1 / \(1 \+ exp\(-x\)\)"),
        ("s_n - s_p + margin", "a margin is m"),
        ("zeta", "choose from s_p"),
    ],
)
def test_a_name_that_is_not_known_leads_to_one_that_is(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        Formula(text)
