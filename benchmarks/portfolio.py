"""How fast portfolios are advised: local, on Dask and on Spark, with what memory takes.

    python -m benchmarks.portfolio --rows 20000 [--only forest,linear,spheres,threads,dask,spark]

Prints a row per measurement. The people are refused ones of the twin of Give Me Some Credit.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.portfolio.block import Block, Request
from standfast.portfolio.travelling.folder import travelled

CHUNK = 100_000  # people drawn at a time
FILE = 2 * sf.portfolio.ROWS  # people in a file, at most: two workers end at the same time
ALL = ("forest", "linear", "spheres", "threads", "dask", "spark")


class Memory:
    """The most that this process and all below it have held at a time, shared pages once."""

    def __init__(self) -> None:
        self.most, self.stop = 0.0, threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.stop.wait(0.5):
            self.most = max(self.most, sum(map(_held, _family(os.getpid()))) / 1024)


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _family(int(child))
    except OSError:  # it has just ended
        return


def _held(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def advisors() -> dict[str, sf.Advisor]:
    data = sf.datasets.twin("give_me_some_credit", n=20_000, seed=0)
    q = sf.Percentiles.fit(data.table)
    forest = RandomForestClassifier(50, max_depth=8, class_weight="balanced", random_state=0)
    linear = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    f, g = (
        sf.as_score(one.fit(data.table, data.labels), data.schema, favourable=1)
        for one in (forest, linear)
    )
    return {
        "forest": sf.prepare(sf.MinimalCost(data.schema, q), f),
        "linear": sf.prepare(sf.ActionableRecourse(data.schema, q), g),
        "spheres": sf.prepare(sf.GrowingSpheres(data.schema, q), f),
    }


def refused(advisor: sf.Advisor, rows: int, folder: Path) -> None:
    """Write so many refused people, with labels, into files."""
    folder.mkdir()
    found = seed = 0
    while found < rows:
        seed += 1
        data = sf.datasets.twin("give_me_some_credit", n=min(CHUNK, 8 * rows), seed=seed)
        X = data.schema.matrix(data.table)
        table = data.table[~advisor.model.accepts(X)].head(rows - found)
        table = table.reset_index(drop=True)
        table.insert(0, "id", np.arange(found, found + len(table)))
        for k in range(0, len(table), FILE):
            file = folder / f"{seed:04d}-{k // FILE:02d}.parquet"
            table.iloc[k : k + FILE].to_parquet(file, index=False)
        found += len(table)


@contextmanager
def measured(what: str, rows: int, made: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    row: dict[str, Any] = {"what": what, "people": rows}
    with Memory() as memory:
        began, cpu = time.perf_counter(), sum(os.times()[:4])
        yield row
        took = time.perf_counter() - began
        row["seconds"] = round(took, 1)
        row["cpu seconds"] = round(sum(os.times()[:4]) - cpu, 1)
        row["people/s"] = round(rows / took)
    row["peak MB"] = round(memory.most)
    made.append(row)
    print(row, flush=True)


def local(advisor: sf.Advisor, source: Path, out: Path, row: dict[str, Any], jobs: int) -> None:
    began = time.perf_counter()

    def heard(done: int, total: int) -> None:
        if done and "first part" not in row:
            row["first part"] = round(time.perf_counter() - began, 1)

    sf.portfolio.run(advisor, source, out, jobs=jobs, index="id", progress=heard)


def in_threads(advisor: sf.Advisor, source: Path, folder: Path) -> None:
    sf.portfolio.save(advisor, folder)
    block = Block(travelled(folder), Request(index="id"))
    table = pq.read_table(source)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda k: block(table.slice(k, 4096)), range(0, len(table), 4096)))


def on_dask(advisor: sf.Advisor, source: Path, out: Path) -> Callable[[], object]:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    client = Client(cluster)
    people = dd.read_parquet(source)
    people = people.repartition(npartitions=max(2, len(people) // 4096))

    def work() -> None:
        sf.portfolio.dask.run(advisor, people, index="id").to_parquet(out, write_index=False)

    def end() -> None:
        client.close()
        cluster.close()

    work.end = end  # type: ignore[attr-defined]
    return work


def on_spark(advisor: sf.Advisor, source: Path, out: Path) -> Callable[[], object]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", sf.portfolio.ROWS)
        .config("spark.sql.files.minPartitionNum", 8)  # or each core would get one task
        .getOrCreate()
    )
    people = session.read.parquet(str(source))

    def work() -> None:
        sf.portfolio.spark.run(advisor, people, index="id").write.parquet(str(out))

    work.end = session.stop  # type: ignore[attr-defined]
    return work


def same(one: Path, other: Path) -> bool:
    first, second = (
        pq.read_table(path).sort_by("id").replace_schema_metadata(None).combine_chunks()
        for path in (one, other)
    )
    return bool(first.cast(second.schema).equals(second))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--only", default=",".join(ALL))
    given = parser.parse_args()
    wanted, made = given.only.split(","), list[dict[str, Any]]()
    known = advisors()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        refused(known["forest"], given.rows, folder / "people")
        few = folder / "few"  # warms kernels, which are compiled once per installation
        refused(known["forest"], 50, few)
        names = {"forest": "minimal cost, forest 50 × 8", "linear": "AR, linear"}
        names["spheres"] = "growing spheres, forest 50 × 8"
        for name, what in names.items():
            if name in wanted or (name == "forest" and {"dask", "spark"} & set(wanted)):
                sf.portfolio.run(known[name], few, folder / f"warm_{name}", index="id")
                with measured(f"{what}, local, 2 jobs", given.rows, made) as row:
                    local(known[name], folder / "people", folder / name, row, 2)
            if "threads" in wanted and name in wanted:
                with measured(f"{what}, 2 threads", given.rows, made):
                    in_threads(known[name], folder / "people", folder / f"threads_{name}")
        for name, start in (("dask", on_dask), ("spark", on_spark)):
            if name in wanted:
                work = start(known["forest"], folder / "people", folder / name)
                with measured(f"minimal cost, forest 50 × 8, {name}", given.rows, made) as row:
                    work()
                work.end()  # type: ignore[attr-defined]
                made[-1]["same rows"] = same(folder / name, folder / "forest")
    print(pd.DataFrame(made).to_string(index=False))


if __name__ == "__main__":
    main()
