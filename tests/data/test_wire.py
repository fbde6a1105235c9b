import json

import numpy as np
import pytest

from dml_viz.data.wire import DTYPES, in_smallest_type, pack, unpack
from tests.samples import for_each

GENERATOR = np.random.default_rng(0)


@for_each("code", DTYPES)
@for_each("shape", [(), (0,), (1,), (3,), (2, 3), (4, 0, 2), (5, 3, 2)])
def test_arrays_are_unpacked_as_they_were_packed(code: str, shape: tuple[int, ...]) -> None:
    array = (100 * GENERATOR.random(shape)).astype(DTYPES[code])
    header, arrays = unpack(pack({"kind": "frame"}, {"first": array, "second": array}))
    assert header == {"kind": "frame"}
    for name in ("first", "second"):
        assert arrays[name].dtype == DTYPES[code]
        np.testing.assert_array_equal(arrays[name], array)


@pytest.mark.parametrize("text", ["", "a", "äöü", "日本語", "x" * 1000])
def test_every_array_begins_at_a_multiple_of_eight_bytes(text: str) -> None:
    message = pack({"title": text}, {"odd": np.zeros(3, np.uint8), "even": np.zeros(2, np.float32)})
    size = int.from_bytes(message[:4], "little")
    assert (4 + size) % 8 == 0
    assert len(message) % 8 == 0
    table = json.loads(message[4 : 4 + size])["arrays"]
    assert [offset % 8 for _, _, offset in table.values()] == [0, 0]


def test_an_array_that_is_cut_out_of_another_or_of_the_other_byte_order_arrives_whole() -> None:
    square = np.arange(12, dtype=np.float32).reshape(3, 4)
    _, arrays = unpack(pack({}, {"turned": square.T, "strided": square[:, ::2], "swapped": square.astype(">f4")}))
    np.testing.assert_array_equal(arrays["turned"], square.T)
    np.testing.assert_array_equal(arrays["strided"], square[:, ::2])
    np.testing.assert_array_equal(arrays["swapped"], square)


def test_numbers_that_are_not_finite_become_null_everywhere() -> None:
    inner = {"inf": np.float32("inf"), "one": np.float64(1), "two": np.int64(2)}
    content = {"nan": float("nan"), "inner": [inner, (1.5, None)]}
    header, _ = unpack(pack(content, {}))
    assert header == {"nan": None, "inner": [{"inf": None, "one": 1.0, "two": 2}, [1.5, None]]}


def test_not_a_number_survives_in_an_array() -> None:
    _, arrays = unpack(pack({}, {"curve": np.array([np.nan, np.inf], np.float32)}))
    np.testing.assert_array_equal(arrays["curve"], [np.nan, np.inf])


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.bool_])
def test_a_dtype_that_browsers_have_no_array_for_is_refused_by_name(dtype: type) -> None:
    with pytest.raises(ValueError, match=f"array 'z' has dtype {np.dtype(dtype)}; send one of f4"):
        pack({}, {"z": np.zeros(3, dtype)})


@pytest.mark.parametrize(
    ("classes", "dtype"), [(0, np.uint8), (256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.int32)]
)
def test_labels_are_packed_exactly_in_the_smallest_dtype_that_holds_them(classes: int, dtype: type) -> None:
    labels = np.arange(classes)
    _, arrays = unpack(pack({}, {"y": in_smallest_type(labels)}))
    assert arrays["y"].dtype == dtype
    np.testing.assert_array_equal(arrays["y"], labels)


@pytest.mark.parametrize("wrong", [[-1], [2**31]])
def test_labels_that_no_dtype_holds_are_refused(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="labels run from"):
        in_smallest_type(np.array(wrong))
