import dataclasses

import numpy as np
import pandas as pd
import pytest

from standfast.datasets import Dataset
from standfast.errors import InputError
from standfast.schema import Feature, Schema

SCHEMA = Schema((Feature("age", "count"), Feature("income", "positive")))


def people(n: int = 20, origin: str = "real") -> Dataset:
    rng = np.random.default_rng(3)
    index = pd.Index([f"p{i}" for i in range(n)])
    table = pd.DataFrame(
        {"age": rng.integers(20, 70, n), "income": rng.uniform(0, 9, n)}, index=index
    )
    labels = pd.Series(np.where(np.arange(n) % 4, 1, -1), index=index)
    return Dataset(table, labels, SCHEMA, "twenty", origin)


def test_a_split_divides_everybody_once_and_keeps_labels_with_people() -> None:
    whole = people()
    train, test = whole.split(0.7, seed=5)
    assert len(train) == 14
    assert len(test) == 6
    assert sorted([*train.table.index, *test.table.index]) == sorted(whole.table.index)
    for part in (train, test):
        pd.testing.assert_frame_equal(part.table, whole.table.loc[part.table.index])
        pd.testing.assert_series_equal(part.labels, whole.labels.loc[part.table.index])


def test_the_same_seed_gives_the_same_split_and_another_seed_another() -> None:
    first, again, other = (people().split(0.5, seed=seed)[0] for seed in (1, 1, 2))
    assert first.digest == again.digest
    assert list(first.table.index) != list(other.table.index)


@pytest.mark.parametrize("share", [0, 1, -0.2, 1.5, float("nan"), True])
def test_a_share_outside_zero_and_one_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        people().split(share, seed=0)


def test_a_split_that_leaves_a_part_empty_is_refused() -> None:
    with pytest.raises(InputError, match="leaves one part empty"):
        people(4).split(0.01, seed=0)


def test_columns_come_out_in_the_schema_order_with_whole_labels() -> None:
    table = pd.DataFrame({"income": [1.0, 2.0], "age": [30, 40]})
    data = Dataset(table, pd.Series([1.0, -1.0]), SCHEMA, "two")
    assert list(data.table) == ["age", "income"]
    assert data.labels.dtype == np.int64


def test_the_callers_table_is_not_touched() -> None:
    table = pd.DataFrame({"age": [30, 40], "income": [1.0, 2.0]})
    data = Dataset(table, pd.Series([1, -1]), SCHEMA, "two")
    table.loc[0, "age"] = 99
    assert "origin" not in table.attrs
    assert data.table.loc[0, "age"] == 30


def test_the_origin_travels_with_the_table_and_its_parts() -> None:
    real = people()
    assert real.table.attrs["origin"] == f"twenty, real, {real.digest[:12]}"
    twin = people(origin="twin of twenty, n=20, seed=0")
    assert twin.table.attrs["origin"] == "twin of twenty, n=20, seed=0"
    for whole in (real, twin):
        for part in whole.split(0.5, seed=0):
            assert part.table.attrs["origin"] == whole.table.attrs["origin"]
            assert part.origin == whole.origin


def test_the_digest_sees_every_value_and_label() -> None:
    data = people()
    table = data.table.copy()
    table.iloc[3, 1] += 1e-9
    assert Dataset(table, data.labels, SCHEMA, "twenty").digest != data.digest
    flipped = Dataset(data.table, -data.labels, SCHEMA, "twenty")
    assert flipped.digest != data.digest
    assert people().digest == data.digest


def test_the_display_says_twin_when_it_is_one() -> None:
    data = people(origin="twin of twenty, n=20, seed=0")
    assert repr(data) == (
        "Dataset twenty: 20 people, 2 inputs, 75.0 % favourable (twin of twenty, n=20, seed=0)"
    )
    assert "twin of twenty" in data._repr_html_()
    assert data.is_twin
    assert not people().is_twin
    assert "twin" not in repr(people())


def test_a_data_set_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        people().name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (pd.Series([0, 1]), "the labels hold 0, 1; allowed are"),
        (pd.Series([1.0, np.nan]), "the labels hold 1.0, nan; allowed are"),
        (pd.Series([1, -1], index=[5, 6]), "the table's own index"),
        ([1, -1], "the table's own index"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: pd.Series, sentence: str) -> None:
    table = pd.DataFrame({"age": [30, 40], "income": [1.0, 2.0]})
    with pytest.raises(InputError, match=sentence):
        Dataset(table, labels, SCHEMA, "two")
