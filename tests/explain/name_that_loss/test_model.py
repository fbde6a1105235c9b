"""A loss is named from a batch, its value and its gradient, with its knobs, its factor and its known errors."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dml_viz.data.files import File, FileError
from dml_viz.embedding.sphere import normalise
from dml_viz.explain.name_that_loss import BATCH, ROOM, model, recorded, text
from dml_viz.explain.name_that_loss.batches import batch_of, file_of_loop
from dml_viz.explain.name_that_loss.model import Answer, Model, Settings, fit_of, identify
from dml_viz.explain.name_that_loss.model_fit import Fit
from dml_viz.explain.name_that_loss.model_forms import WITH_ROWS, ObservedBatch, forms, losses_not_tried
from dml_viz.explain.name_that_loss.recorded import is_todays, recorded_answer
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.margin import Margin
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.nt_xent import NTXent
from dml_viz.losses.siglip import SigLIP
from dml_viz.losses.snr import SNR
from dml_viz.losses.triplet import Triplet
from dml_viz.plot.canvas import Display
from tests.samples import THOROUGH, for_each, sample

draw = torch.Generator().manual_seed(4)
Y = torch.arange(5).repeat_interleave(4)
Z = normalise(
    torch.randn(5, 8, generator=draw, dtype=torch.float64)[Y] + 0.7 * torch.randn(20, 8, generator=draw, dtype=torch.float64)
)
PROXIES = torch.randn(5, 8, generator=draw, dtype=torch.float64)


def by_hand(loss: object, z: torch.Tensor = Z, times: float = 1.0) -> ObservedBatch:
    found = loss.gradients(normalise(z), Y)  # type: ignore[attr-defined]
    lengths = torch.linalg.vector_norm(z, dim=1, keepdim=True)
    return ObservedBatch(z, Y, times * (found.z / lengths).numpy(), times * float(found.value))


@pytest.fixture
def some_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search among some losses, of which the four nearest forms are fitted; other tests search among all."""
    some = ("contrastive", "fastap", "lifted", "multi_similarity", "triplet")
    if not THOROUGH:
        monkeypatch.setattr(model, "FITTED", 4)
        monkeypatch.setattr(model, "forms", lambda batch: (form for form in forms(batch) if form.name in some))


@pytest.fixture(scope="module")
def published() -> tuple[ObservedBatch, Answer]:
    """FastAP as its code has it, and the recorded answer."""
    return recorded_answer()


def test_the_recorded_answer_to_the_example_is_what_a_search_finds_today(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_todays(), "python -m dml_viz.export.record named"
    batch, answer = recorded_answer()
    for other in ({"knobs": {"bins": 17.0}}, {"factor": 11.9}, {"unknown": ("bins",)}):
        wrong = Answer((replace(answer.fits[0], **other),), None)  # type: ignore[arg-type]
        monkeypatch.setattr(recorded, "recorded_answer", lambda wrong=wrong: (batch, wrong))
        assert not is_todays()


def test_every_loss_is_among_the_forms_and_forms_with_proxies_only_where_there_are_some() -> None:
    blank = ObservedBatch(Z, Y, Z.numpy())
    without, all_forms = ({form.name for form in forms(batch)} for batch in (blank, replace(blank, learnt={"proxies": PROXIES})))
    assert all_forms == set(LOSSES)
    assert {"proxy_nca", "proxy_anchor"} & without == set()
    assert {"fastap", "triplet"} <= without


def test_a_form_that_is_not_tried_is_named_with_what_the_file_lacks() -> None:
    blank = ObservedBatch(Z, Y, Z.numpy())
    named_ones = losses_not_tried(blank)
    assert set(named_ones) == set(WITH_ROWS)
    assert "Proxy-Anchor" in named_ones["proxies"]
    assert all(title in text.left_out(blank) for titles in named_ones.values() for title in titles)
    assert not text.left_out(replace(blank, learnt={"proxies": PROXIES, "beta": torch.ones(5, dtype=torch.float64)}))


@pytest.mark.parametrize(
    ("loss", "learnt", "knobs"),
    [
        (NTXent(learn_tau=True), {"log_scale": math.log(8.0)}, {"tau": 1 / 8}),
        (SigLIP(), {"log_scale": math.log(7.0), "bias": -3.0}, {"scale": 7.0, "bias": -3.0}),
    ],
    ids=["InfoNCE", "SigLIP"],
)
def test_learnt_numbers_are_found_from_the_gradient(loss: Loss, learnt: dict[str, float], knobs: dict[str, float]) -> None:
    tensors = {name: torch.tensor(value, dtype=torch.float64) for name, value in learnt.items()}
    gradients = loss.gradients(Z, Y, **tensors)
    batch = ObservedBatch(Z, Y, gradients.z.numpy(), float(gradients.value))
    forms_of = [form for form in forms(batch) if form.title == loss.title]
    [fit] = [fit_of(form, batch) for form in forms_of]
    assert fit.fits
    assert fit.knobs == pytest.approx(knobs, rel=1e-4)
    assert "one batch does not show" in text.fit_in_words(fit, batch)


def test_boundaries_of_classes_are_read_from_the_file() -> None:
    beta = torch.tensor([0.9, 1.0, 1.1, 1.2, 1.3], dtype=torch.float64)
    gradients = Margin(learn_beta=True, alpha=0.3).gradients(Z, Y, beta=beta)
    content = io.BytesIO()
    np.savez(content, z=Z.numpy(), y=Y.numpy(), grad=gradients.z.numpy(), value=float(gradients.value), beta=beta.numpy())
    batch = batch_of(File("batch.npz", content.getvalue()))
    [form] = [form for form in forms(batch) if form.title == "Margin (triplets, learn beta)"]
    value, gradient = form.evaluate(batch, {"alpha": 0.3})
    assert value == pytest.approx(batch.value)
    assert np.allclose(gradient, batch.gradient)


def test_published_fastap_is_named_with_its_factor_and_bins(published: tuple[ObservedBatch, Answer]) -> None:
    batch, answer = published
    assert answer.is_certain
    [fit] = answer.fits
    assert (fit.form.name, fit.knobs, fit.unknown) == ("fastap", {"bins": 16.0}, ())
    assert fit.factor == pytest.approx(len(batch.y) / 2)
    assert "M / 2 = 12 times" in text.fit_in_words(fit, batch)
    assert text.headline(answer, batch) == "This is FastAP"


@pytest.mark.usefixtures("some_forms")
def test_rows_of_any_length_and_a_sum_in_place_of_a_mean() -> None:
    lengths = torch.linspace(0.5, 3, 20)[:, None]
    answer = identify(by_hand(MultiSimilarity(alpha=3, beta=40, base=0.4, mining=False), Z * lengths, times=20))
    fit = answer.fits[0]
    assert (answer.is_certain, fit.form.name) == (True, "multi_similarity")
    assert [fit.knobs[name] for name in ("alpha", "beta", "base")] == pytest.approx([3, 40, 0.4], rel=0.01)
    assert "N = 20 times (a sum in place of a mean)" in text.factor_in_words(fit.factor, 20, 20)


def test_a_knob_that_is_zero_is_said_to_be_zero() -> None:
    batch = by_hand(SNR(zero_mean=0.0))
    fit = next(fit for fit in identify(batch).fits if fit.form.name == "snr")
    assert fit.knobs["zero_mean"] == 0
    assert "zero_mean = 0" in text.fit_in_words(fit, batch).replace("e-", "e−")
    assert "zero_mean = 0." not in text.fit_in_words(fit, batch)


@pytest.mark.usefixtures("some_forms")
def test_the_bound_of_a_hinge_is_found_though_its_gradient_jumps() -> None:
    fit = identify(by_hand(Triplet(margin=0.73, reduction="nonzero"))).fits[0]
    assert (fit.form.name, fit.form.switches["reduction"]) == ("triplet", "nonzero")
    assert fit.knobs["margin"] == pytest.approx(0.73, rel=0.01)


@pytest.mark.parametrize(
    ("word", "knobs"), sample([("over distances", {"bins": 12.0}), ("sign of the distances", {"scale": 3.0})], 1)
)
def test_a_common_wrong_form_is_named(word: str, knobs: dict[str, float]) -> None:
    blank = ObservedBatch(Z, Y, Z.numpy(), None, {"proxies": PROXIES})
    wrong = next(form for form in forms(blank) if word in form.error)
    value, gradient = wrong.evaluate(blank, knobs)
    batch = ObservedBatch(Z, Y, gradient, value, {"proxies": PROXIES})
    answer = identify(batch)
    assert (answer.is_certain, answer.fits[0].form.error) == (True, wrong.error)
    assert answer.fits[0].knobs == pytest.approx(knobs)
    assert wrong.error in text.headline(answer, batch)


@pytest.mark.usefixtures("some_forms")
def test_an_unknown_loss_is_not_named() -> None:
    noise = torch.randn(20, 8, generator=draw, dtype=torch.float64).numpy()
    unknown = ObservedBatch(Z, Y, noise, 1.0)
    answer = identify(unknown)
    assert not answer.fits
    assert text.headline(answer, unknown).startswith("None of ours")
    with pytest.raises(ValueError, match="zero everywhere"):
        identify(ObservedBatch(Z, Y, 0 * noise, 1.0))


@pytest.mark.usefixtures("some_forms")
def test_a_gradient_is_named_whose_value_is_another() -> None:
    batch = by_hand(MultiSimilarity(mining=False))
    more = replace(batch, value=3 * float(batch.value or 0) + 1)
    answer = identify(more)
    assert not answer.fits
    assert answer.nearest
    assert answer.nearest.form.name == "multi_similarity"
    said = text.headline(answer, more)
    assert said.startswith("The gradient is that of Multi-Similarity")
    assert said.endswith(f"the value is not: {more.value:.4g} instead of {batch.value:.4g}")


def test_the_figure_draws_what_fits(published: tuple[ObservedBatch, Answer]) -> None:
    for theme in ("light", "dark"):
        drawn = ROOM.figures["components"](Model(Settings(*published)), Display(theme))
        x, y = (np.asarray(drawn.data[0][axis]) for axis in "xy")
        assert np.abs(x - y).max() < 1e-6 * np.abs(y).max()
        assert "12 times" in drawn.layout.meta["alt"]


@for_each(("factor", "words"), [(1.0, ""), (-1, "sign"), (8.5, "M / 2"), (20, "N = 20"), (0.05, "1 / N"), (3.3, "3.3 times")])
def test_factors_are_named_by_their_possible_causes(factor: float, words: str) -> None:
    assert words in text.factor_in_words(factor, 20, 17)
    assert bool(text.factor_in_words(factor, 20, 17)) == bool(words)
    assert (words in text.factor_in_words(factor, 20, 0)) == (words != "M / 2"), "no row has a positive"


GOOD = {"z": Z.numpy(), "y": Y.numpy(), "grad": Z.numpy(), "value": 1.0}
BAD = {
    "no gradient": ({"grad": None}, "has no grad"),
    "another shape": ({"grad": Z.numpy()[:3]}, r"are \(20, 8\), \(3, 8\), \(20,\)"),
    "not finite": ({"grad": Z.numpy() * np.nan}, "grad of .* not finite"),
    "zero row": ({"z": Z.numpy() * 0}, "has no direction"),
    "words for labels": ({"y": np.array(list("a" * 20))}, "give whole numbers"),
    "too many rows": ({"z": np.ones((300, 8)), "grad": np.ones((300, 8)), "y": np.ones(300, int)}, "to 256 x"),
    "a boundary for each class and dimension": ({"beta": np.ones((5, 3))}, "beta of .* 1 dimensions"),
    "proxies of other dimensions": ({"proxies": np.ones((5, 3))}, "a row for each class"),
    "value of words": ({"value": "x"}, "value of"),
}


@for_each("name", BAD)
def test_a_bad_batch_gets_one_sentence(name: str) -> None:
    change, wanted = BAD[name]
    arrays = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    content = io.BytesIO()
    np.savez(content, **arrays)
    with pytest.raises(FileError, match=wanted):
        batch_of(File("batch.npz", content.getvalue()))


@pytest.mark.parametrize(("name", "content"), [("batch.pt", b""), ("batch.npz", b"no zip")])
def test_a_file_that_is_no_archive_gets_one_sentence(name: str, content: bytes) -> None:
    with pytest.raises(FileError, match=r"np\.savez"):
        batch_of(File(name, content))


def test_a_link_to_no_batch_names_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"^batch = 'nan' is not allowed; choose example, own "):
        BATCH.read("nan")


def test_fits_without_a_value_use_the_gradient_alone() -> None:
    fit = Fit(next(forms(ObservedBatch(Z, Y, Z.numpy()))), {}, 1e-6, 2.0, None)
    assert fit.fits


def test_the_batch_of_a_watched_loop_is_named(published: tuple[ObservedBatch, Answer]) -> None:
    batch = published[0]
    taken = {"z": batch.z.numpy(), "y": batch.y.numpy(), "value": batch.value, "grad": batch.gradient}
    assert batch_of(file_of_loop("FastAPLoss", taken, len(batch.y))).value == batch.value
    for wrong, rows, why in ((taken, 400, "400 rows"), ({"z": taken["z"]}, len(batch.y), "no gradient")):
        with pytest.raises(FileError, match=why):
            file_of_loop("loop", wrong, rows)
