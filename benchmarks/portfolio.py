"""How fast portfolios are advised: local, on Dask and on Spark, with what memory takes.

    python -m benchmarks.portfolio --rows 20000 [--only forest,linear,spheres,threads,dask,spark]

Prints a row per measurement. The people are refused ones of the twin of Give Me Some Credit; they
are drawn, and the models fitted, in a process of its own, so that what is measured is what a run
takes that is given a folder of people and a saved advisor.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
# the JVM shares the two cores: its second compiler would take more time than its code then saves
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
METHODS = {
    "forest": "minimal cost, forest 50 × 8",
    "linear": "AR, linear",
    "spheres": "growing spheres, forest 50 × 8",
}
ALL = (*METHODS, "threads", "dask", "spark")


class Family:
    """What this process and all below it take: CPU seconds, and memory with shared pages once."""

    def __init__(self) -> None:
        self.most, self.stop = 0.0, threading.Event()
        self.used: dict[int, float] = {}  # CPU seconds of every process that was seen
        self.engines: set[int] = set()  # those that are JVMs
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Family":
        self._look()
        self.before = dict(self.used)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()
        self._look()

    def _watch(self) -> None:
        looks = 0
        while not self.stop.wait(0.5):
            self._look()
            looks += 1
            if looks % 4 == 0:  # the kernel counts pages: often, that takes time from who works
                self.most = max(self.most, sum(map(_held, _family(os.getpid()))) / 1024)

    def _look(self) -> None:
        for pid in _family(os.getpid()):
            with suppress(OSError):  # it has just ended
                name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
                ticks = sum(map(int, rest.split()[11:13]))
                self.used[pid] = ticks / os.sysconf("SC_CLK_TCK")
                if name.endswith("(java"):
                    self.engines.add(pid)

    def cpu(self, pids: Iterable[int]) -> float:
        """The CPU seconds of these processes since the beginning."""
        return sum(self.used[pid] - self.before.get(pid, 0.0) for pid in pids)


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


def draw(rows: int, folder: Path) -> None:
    """Save the advisors, and write the people and a few more to warm up with."""
    known = advisors()
    for name, advisor in known.items():
        sf.portfolio.save(advisor, folder / f"advisor_{name}")
    refused(known["forest"], rows, folder / "people")
    refused(known["forest"], 50, folder / "few")
    os.sync()  # or the first part would wait for these people to be on the disk


@contextmanager
def measured(what: str, rows: int, made: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    row: dict[str, Any] = {"what": what, "people": rows}
    with Family() as family:
        began = time.perf_counter()
        yield row
        took = time.perf_counter() - began
    row["seconds"] = round(took, 1)
    row["people/s"] = round(rows / took)
    row["cpu seconds"] = round(family.cpu(family.used), 1)
    if family.engines:
        row["of the JVM"] = round(family.cpu(family.engines), 1)
    row["peak MB"] = round(family.most)
    made.append(row)
    print(row, flush=True)


def local(advisor: Path, source: Path, out: Path, row: dict[str, Any], jobs: int) -> None:
    began = time.perf_counter()

    def heard(done: int, total: int) -> None:
        if done and "first part" not in row:
            row["first part"] = round(time.perf_counter() - began, 1)

    sf.portfolio.run(advisor, source, out, jobs=jobs, index="id", progress=heard)


def in_threads(advisor: Path, source: Path) -> None:
    block = Block(travelled(advisor), Request(index="id"))
    table = pq.read_table(source)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda k: block(table.slice(k, 4096)), range(0, len(table), 4096)))


def on_dask(advisor: Path, source: Path, out: Path) -> Callable[[], object]:
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


def on_spark(advisor: Path, source: Path, out: Path) -> Callable[[], object]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", sf.portfolio.ROWS)
        # a task for every file: with fewer and larger ones, a core waits for the other at the end
        .config("spark.sql.files.minPartitionNum", len(list(source.iterdir())))
        .config("spark.driver.extraJavaOptions", JAVA)
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


def measure(folder: Path, rows: int, wanted: list[str], made: list[dict[str, Any]]) -> None:
    """Run everything that is wanted on the people in a folder."""
    people, known = folder / "people", {name: folder / f"advisor_{name}" for name in METHODS}
    for name, what in METHODS.items():
        if name in wanted or (name == "forest" and {"dask", "spark"} & set(wanted)):
            # kernels are compiled once per installation; workers find their libraries in memory
            warm = folder / f"warm_{name}"
            sf.portfolio.run(known[name], folder / "few", warm, jobs=2, rows=25, index="id")
            with measured(f"{what}, local, 2 jobs", rows, made) as row:
                local(known[name], people, folder / name, row, 2)
        if "threads" in wanted and name in wanted:
            with measured(f"{what}, 2 threads", rows, made):
                in_threads(known[name], people)
    for name, start in (("dask", on_dask), ("spark", on_spark)):
        if name in wanted:
            work = start(known["forest"], people, folder / name)
            with measured(f"{METHODS['forest']}, {name}", rows, made):
                work()
            work.end()  # type: ignore[attr-defined]
            made[-1]["of local"] = round(made[-1]["people/s"] / made[0]["people/s"], 2)
            made[-1]["same rows"] = same(folder / name, folder / "forest")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--only", default=",".join(ALL))
    parser.add_argument("--draw", type=Path, help="draw people and fit models into this folder")
    given = parser.parse_args()
    if given.draw is not None:
        draw(given.rows, given.draw)
        return
    made = list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "benchmarks.portfolio", "--rows", str(given.rows)]
        subprocess.run([*command, "--draw", place], check=True)
        measure(Path(place), given.rows, given.only.split(","), made)
    print(pd.DataFrame(made).to_string(index=False))


if __name__ == "__main__":
    main()
