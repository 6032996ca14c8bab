"""The compiled table of texts: what Python's dictionary says, whatever the texts are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsebc.io import text_kernels
from sparsebc.io.numbering import Register
from sparsebc.io.text_table import TextTable

pyarrow = pytest.importorskip("pyarrow")

# Of all lengths around a word, alike but for their last byte, with zeros and of several bytes.
TEXTS = st.one_of(
    st.text(max_size=20),
    st.builds(
        str.__add__, st.sampled_from(["", "9606.ENS", "9606.ENSP000"]), st.text("0\0", max_size=9)
    ),
)
ROWS = st.lists(st.tuples(TEXTS, TEXTS), max_size=12)


@given(st.lists(ROWS, min_size=1, max_size=4), st.sampled_from(["string", "large_string"]))
def test_as_a_dictionary(parts, kind):
    """Numbers and names, part after part, from lists and from slices of Arrow's arrays."""
    table, want = TextTable(), Register()
    for part in parts:
        columns = [[row[side] for row in part] for side in (0, 1)]
        whole = [pyarrow.array(["x", *column, "y"], kind) for column in columns]
        arrays = [array.slice(1, len(part)) for array in whole]
        for found, numbers in zip(table.pairs(*arrays), want.pairs(*columns), strict=True):
            np.testing.assert_array_equal(found, numbers)
        again = zip(table.pairs(*columns), want.pairs(*columns), strict=True)
        assert all((found == numbers).all() for found, numbers in again)
        assert list(table) == list(want)


def test_many_texts():
    """Through batches and several sizes of the table, with every text found again."""
    numbers = np.random.default_rng(2).permutation(9000)
    names = [f"v{number}" * (1 + number % 3) for number in numbers]
    table, want = TextTable(), Register()
    for part in (slice(0, 70), slice(70, 5000), slice(0, 9000)):
        ends = names[part], names[part][::-1]
        for found, right in zip(table.pairs(*ends), want.pairs(*ends), strict=True):
            assert found.dtype == np.int32
            np.testing.assert_array_equal(found, right)
    assert list(table) == list(want)


def test_texts_that_share_a_hash():
    """Are told apart by their length and their bytes; entries go around the end of the table."""
    table, pool, used = np.zeros(8, np.uint64), np.zeros(64, np.uint64), np.array([0, 1, 0])
    texts = [b"a", b"b", b"a\0", b"", b"9606.ENSP1", b"9606.ENSP2"]
    found = np.uint64(2**63 + 7)  # the last entry
    for _ in range(2):
        for number, text in enumerate(texts):
            one = np.frombuffer(b"..%s." % text, np.uint8)
            got = text_kernels._number(one, 2, 2 + len(text), found, table, pool, used)
            assert got == number
    assert np.count_nonzero(table) == used[0] == len(texts)
    assert used[2] == sum(map(len, texts))
