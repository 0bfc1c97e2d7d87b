import os
import signal
import threading
import time

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samples.portfolio import book, forest_advisor, people

import standfast as sf

pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

# what Dask warns of about itself is not about us
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as started,
        distributed.Client(started) as client,
    ):
        yield client


@pytest.fixture
def made(tmp_path):
    book(tmp_path / "people", parts=6, rows=60)
    sf.portfolio.run(forest_advisor(), tmp_path / "people", tmp_path / "advice", index="id")
    return tmp_path / "people", pq.read_table(tmp_path / "advice")


def as_table(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """The rows as the local runner has them; nothing is converted, types must be the same."""
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    assert table.schema == schema.remove_metadata()
    return table


def test_dask_gives_the_rows_of_the_local_runner_lazily(made, cluster):
    import dask.dataframe as dd

    asked = dd.read_parquet(made[0])
    found = sf.portfolio.dask.run(forest_advisor(), asked, index="id")
    assert found.npartitions == asked.npartitions
    assert [str(kind) for kind in found.dtypes][:2] == ["string[pyarrow]", "string[pyarrow]"]
    local = made[1].replace_schema_metadata(None)
    assert as_table(found.compute(), made[1].schema).equals(local)


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(made, cluster):
    import dask.dataframe as dd

    found = sf.portfolio.dask.run(forest_advisor(), dd.read_parquet(made[0]), index="id")
    pids = list(cluster.run(os.getpid).values())

    def kill():
        time.sleep(0.3)
        os.kill(pids[0], signal.SIGKILL)

    threading.Thread(target=kill).start()
    again = found.compute()
    assert as_table(again, made[1].schema).equals(made[1].replace_schema_metadata(None))


def test_folders_at_the_workers_and_own_labels(made, tmp_path):
    import dask.dataframe as dd

    sf.portfolio.save(forest_advisor(), tmp_path / "advisor")
    table = people(50).set_index("id")
    given = dd.from_pandas(table, npartitions=3, sort=False)
    place = str(tmp_path / "advisor")
    found = sf.portfolio.dask.run(tmp_path / "advisor", given, at=place)
    said = found.compute(scheduler="synchronous")
    assert said["person"].tolist() == table.index.tolist()
    whole = forest_advisor().recommend(table).to_frame()
    assert said["sentence"].tolist() == whole["sentence"].tolist()


def test_what_cannot_be_asked_is_refused_before_any_work(tmp_path):
    import dask.dataframe as dd

    given = dd.from_pandas(people(20), npartitions=2)
    with pytest.raises(sf.InputError, match="the people have 'id', which the schema does not know"):
        sf.portfolio.dask.run(forest_advisor(), given)
    with pytest.raises(sf.InputError, match="the people lack 'name'"):
        sf.portfolio.dask.run(forest_advisor(), given, index="name")
    with pytest.raises(sf.InputError, match="give a Dask DataFrame"):
        sf.portfolio.dask.run(forest_advisor(), people(3), index="id")
