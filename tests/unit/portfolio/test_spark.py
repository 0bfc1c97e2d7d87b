import gc
import os
import shutil
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samples.portfolio import book, forest_advisor, people

import standfast as sf

pytest.importorskip("pyspark")
if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
    pytest.skip("Spark needs Java, and there is none", allow_module_level=True)

# what Spark warns of about itself is not about us
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("standfast")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_spark_gives_the_rows_of_the_local_runner(spark, tmp_path):
    book(tmp_path / "people", parts=3, rows=60)
    sf.portfolio.run(forest_advisor(), tmp_path / "people", tmp_path / "advice", index="id")
    asked = spark.read.parquet(str(tmp_path / "people"))
    found = sf.portfolio.spark.run(forest_advisor(), asked, index="id")
    found.write.parquet(str(tmp_path / "by_spark"))
    theirs, ours = (pq.read_table(tmp_path / name) for name in ("by_spark", "advice"))
    assert [(f.name, f.type) for f in theirs.schema] == [(f.name, f.type) for f in ours.schema]
    bare = [
        one.sort_by("id").combine_chunks().replace_schema_metadata(None) for one in (theirs, ours)
    ]
    assert pa.table(bare[0].columns, names=bare[0].column_names).equals(
        pa.table(bare[1].columns, names=bare[1].column_names)
    )


def test_executors_find_the_folder_where_they_are_told(spark, tmp_path):
    sf.portfolio.save(forest_advisor(), tmp_path / "advisor")
    people(20).to_parquet(tmp_path / "x.parquet", index=False)
    asked = spark.read.parquet(str(tmp_path / "x.parquet"))
    place = str(tmp_path / "advisor")
    rows = sf.portfolio.spark.run(tmp_path / "advisor", asked, index="id", at=place).collect()
    said = forest_advisor().recommend(people(20).set_index("id")).sentences()
    assert {row["id"]: row["sentence"] for row in rows} == said.to_dict()


def test_workers_leave_their_advisor_out_of_the_search_for_garbage(spark, tmp_path):
    people(20).to_parquet(tmp_path / "x.parquet", index=False)
    asked = spark.read.parquet(str(tmp_path / "x.parquet"))
    sf.portfolio.spark.run(forest_advisor(), asked, index="id").collect()

    def frozen(batches):
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"objects": [gc.get_freeze_count()]})

    again = spark.range(1, numPartitions=1).mapInArrow(frozen, "objects long")  # the same workers
    assert again.collect()[0]["objects"] > 10_000


def test_what_cannot_be_asked_is_refused_before_any_work(spark, tmp_path):
    people(20).to_parquet(tmp_path / "x.parquet", index=False)
    asked = spark.read.parquet(str(tmp_path / "x.parquet"))
    with pytest.raises(sf.InputError, match="rows have no order in Spark"):
        sf.portfolio.spark.run(forest_advisor(), asked)
    with pytest.raises(sf.InputError, match="the people lack 'name'"):
        sf.portfolio.spark.run(forest_advisor(), asked, index="name")
    with pytest.raises(sf.InputError, match="give a Spark DataFrame"):
        sf.portfolio.spark.run(forest_advisor(), people(3), index="id")
