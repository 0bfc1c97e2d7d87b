import numpy as np
import pandas as pd
import pytest
from samples.portfolio import SCHEMA, book, forest_advisor, people, reference
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.portfolio import Advice


def forests(count: int, seed: int) -> dict[str, sf.Score]:
    table, labels = reference()
    rng, found = np.random.default_rng(seed), {}
    for k in range(count):
        rows = rng.integers(0, len(table), len(table))
        forest = RandomForestClassifier(4, max_depth=3, random_state=k)
        fitted = forest.fit(table.iloc[rows], labels[rows])
        found[f"g{k}"] = sf.as_score(fitted, SCHEMA, favourable=1)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    everybody = book(folder / "people")
    sf.portfolio.run(forest_advisor(), folder / "people", folder / "advice", index="id", rows=30)
    return folder / "advice", forest_advisor().recommend(everybody.set_index("id"))


def test_parts_are_read_in_order_and_a_changed_one_is_refused(made, tmp_path):
    advice = Advice(made[0])
    assert [label for part in advice for label in part.index] == made[1].index.tolist()
    assert len(advice) == 210
    assert advice.advised == made[1].found.sum()


def test_transfer_counts_what_transfer_counts(made):
    rivals = forests(3, 1)
    rows: list[pd.DataFrame] = []
    found = sf.portfolio.transfer(Advice(made[0]), rivals, each=rows.append)
    whole = sf.transfer(made[1], rivals)
    pd.testing.assert_frame_equal(found.rivals, whole.rivals, rtol=1e-12)
    counts = whole.people["kept"].dropna()
    assert (found.by_every, found.by_none) == ((counts == 3).sum(), (counts == 0).sum())
    long = whole.to_frame().dropna().reset_index(drop=True)
    every = pd.concat(rows, ignore_index=True)
    assert every["person"].tolist() == long["person"].tolist()
    assert every["kept"].tolist() == long["kept"].tolist()


@pytest.mark.parametrize("simultaneous", [False, True])
def test_certificates_are_those_of_everybody_at_once(made, simultaneous):
    models = list(forests(20, 2).values())
    rows: list[pd.DataFrame] = []
    found = sf.portfolio.certify(
        Advice(made[0]), models, tau=0.5, simultaneous=simultaneous, each=rows.append
    )
    whole = sf.certify(made[1], models, tau=0.5, simultaneous=simultaneous)
    assert found.lower == whole.lower
    pd.testing.assert_frame_equal(found.models, whole.models, check_dtype=False)
    every = pd.concat(rows, ignore_index=True).set_index("id")
    pd.testing.assert_frame_equal(
        every, whole.to_frame(), check_dtype=False, check_index_type=False
    )
    assert found.people["count"].sum() == whole.n


def test_multiplicity_counts_what_multiplicity_counts(made):
    rivals, table = forests(3, 1), pd.concat([people(70, seed=k + 1) for k in range(3)])
    f = forest_advisor().model
    found = sf.portfolio.multiplicity(rivals, Advice(made[0]), reference=f)
    whole = sf.multiplicity(rivals, table.set_index("id"), SCHEMA, reference=f)
    assert (found.ambiguity, found.discrepancy) == (whole.ambiguity, whole.discrepancy)
    pd.testing.assert_frame_equal(found.rivals, whole.rivals, rtol=1e-12, check_dtype=False)
    pd.testing.assert_frame_equal(found.pairwise, whole.pairwise, atol=1e-12, rtol=0)


def test_multiplicity_of_people_who_all_contradict_the_schema_is_refused(tmp_path):
    people(20).assign(debt=-1.0).to_parquet(tmp_path / "x.parquet", index=False)
    advisor = forest_advisor()
    sf.portfolio.run(advisor, tmp_path / "x.parquet", tmp_path / "out", index="id")
    with pytest.raises(sf.InputError, match="so nobody is judged"):
        sf.portfolio.multiplicity(forests(2, 1), Advice(tmp_path / "out"), reference=advisor.model)


def test_an_unfinished_folder_is_said(made, tmp_path):
    table = people(60).assign(income=[*[1000.0] * 59, np.inf])
    table.to_parquet(tmp_path / "x.parquet", index=False)
    sf.portfolio.run(
        forest_advisor(), tmp_path / "x.parquet", tmp_path / "out", index="id", rows=30
    )
    with pytest.warns(UserWarning, match="is not complete: 30 people in 1 of 2 parts"):
        assert sum(len(part) for part in Advice(tmp_path / "out")) == 30
    part = next((tmp_path / "out").glob("part-*.parquet"))
    part.write_bytes(b"other")
    with (
        pytest.warns(UserWarning, match="not complete"),
        pytest.raises(sf.InputError, match="missing or not as it was written"),
    ):
        list(Advice(tmp_path / "out"))
    with pytest.raises(sf.InputError, match="holds no advice of a portfolio"):
        list(Advice(tmp_path))


# percentiles of data sets


def test_percentiles_of_a_data_set_are_those_of_its_table(tmp_path):
    from samples import tenants

    table = tenants.people(300, 1).reset_index(drop=True)
    for k in range(3):
        folder = tmp_path / "set" / f"month={k}"
        folder.mkdir(parents=True)
        table.iloc[100 * k : 100 * (k + 1)].to_parquet(
            folder / "x.parquet", index=False, row_group_size=17
        )
    names = list(table.columns)
    q, counted = sf.Percentiles.fit(table), sf.Percentiles.fit(tmp_path / "set", names)
    for name in names:
        assert counted.values[name].tolist() == q.values[name].tolist()  # noqa: PD011
        assert counted.shares[name].tolist() == q.shares[name].tolist()
    assert counted.of(tenants.SCHEMA).digest == q.of(tenants.SCHEMA).digest
    assert counted.known == q.known
    assert list(counted.deviations) == names
    np.testing.assert_allclose(
        list(counted.deviations.values()), list(q.deviations.values()), rtol=1e-12
    )


def test_percentiles_of_a_data_set_name_what_is_wrong(tmp_path):
    people(20).to_parquet(tmp_path / "a.parquet", index=False)
    with pytest.raises(sf.InputError, match=r"a\.parquet' lacks 'size'"):
        sf.Percentiles.fit(tmp_path, ["size"])
    people(20).assign(income="much").to_parquet(tmp_path / "b.parquet", index=False)
    with pytest.raises(sf.InputError, match=r"b\.parquet' holds 'income' as"):
        sf.Percentiles.fit(tmp_path, ["income"])
    people(20).assign(debt=np.nan).to_parquet(tmp_path / "c.parquet", index=False)
    with pytest.raises(sf.InputError, match=r"column 'debt' of .* holds no value at all"):
        sf.Percentiles.fit(tmp_path / "c.parquet", ["debt"])
