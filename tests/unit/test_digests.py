"""Fingerprints of tables: the same values give the same digits, whatever goes along with them."""

import numpy as np
import pandas as pd
import pytest

from standfast.digests import digest, digest_of_table

TABLE = pd.DataFrame(
    {
        "count": [1, 2],
        "text": ["x", None],
        "kind": pd.Categorical(["u", "v"]),
        "day": pd.to_datetime(["2020-01-01", "2021-01-01"]),
        "gap": pd.array([1, None], dtype="Int64"),
        "owner": [True, False],
        "short": np.array([1.5, 2.0], np.float32),
        "rate": [0.1, 0.2],
        3: [7, 8],
    }
)


NUMBERS = pd.DataFrame(
    {"late": [0, -3], "rate": [0.1, -0.0], "gap": [np.nan, np.inf], "many": [7, 8]}
)
BEYOND = NUMBERS.assign(many=[2**53 + 1, -(2**63)])  # floats do not hold these


def by_column(table):
    """The fingerprint from each column's own hashes."""
    columns = [pd.util.hash_pandas_object(table[name], index=False) for name in table]
    parts = [pd.util.hash_pandas_object(table.index, index=False), *columns]
    return digest([[str(name) for name in table], *(part.to_numpy() for part in parts)])


@pytest.mark.parametrize("index", [None, "count", "text", "kind", "day", "gap", ["count", "text"]])
def test_a_table_is_known_by_its_names_its_index_and_each_columns_values(index):
    table = TABLE if index is None else TABLE.set_index(index)
    assert digest_of_table(table) == by_column(table)


@pytest.mark.parametrize("table", [NUMBERS, BEYOND, NUMBERS[["rate"]], NUMBERS.iloc[:1]])
def test_numbers_that_are_hashed_at_once_have_the_hashes_of_their_columns(table):
    assert digest_of_table(table) == by_column(table)


def test_integers_that_floats_cannot_tell_apart_have_fingerprints_of_their_own():
    neighbour = BEYOND.assign(many=[2**53, -(2**63)])
    assert digest_of_table(neighbour) != digest_of_table(BEYOND)


def test_what_a_table_says_of_its_origin_is_no_part_of_its_values():
    shown = TABLE.copy()
    shown.attrs["origin"] = "somewhere"
    assert digest_of_table(shown) == digest_of_table(TABLE)
    assert shown.attrs == {"origin": "somewhere"}


def test_a_column_of_words_has_the_fingerprint_of_its_words_and_not_of_where_they_lie():
    words = ["".join(["cl", "erk"]), "nurse"]
    others = ["".join(["cle", "rk"]), "nurse"]
    assert words[0] is not others[0]
    one, same = (np.array(some, dtype=object) for some in (words, others))
    assert digest([one]) == digest([same])
    assert digest([one]) != digest([one[::-1]])
