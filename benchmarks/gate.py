"""The gate on many promises with boxes, under a forest of 50 trees of depth 8, from a ledger."""

import subprocess
import sys
import tempfile
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.methods.region import Regions
from standfast.promises import Promises
from standfast.promises.gate.judging import Judge
from standfast.promises.ledger import new_key

MANY = 1_000_000
ADVISED = 600  # people whose promises are repeated for everybody else
PART = 50_000  # promises issued at a time: the regions of a million people take much memory
SECONDS, GIGABYTES, MICROSECONDS = 60.0, 2.0, 60.0
# a process of its own: its memory is the gate's alone
TIMED = """
import resource, sys, time
import standfast as sf
from standfast.promises.gate import GateSettings
ledger, schema, model, key, size = sys.argv[1:]
schema = sf.Schema.from_toml(open(schema).read())
candidate = sf.as_score(sf.load_model(model), schema, favourable=1)
start = time.perf_counter()
report = sf.gate(sf.Ledger.open(ledger, key), candidate, settings=GateSettings(jobs=2))
assert report.n == int(size)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(time.perf_counter() - start, peak, report.kept, report.at_risk, report.broken)
"""


def run(size: int = MANY) -> list[dict[str, Any]]:
    """Judging alone on one core, and the whole gate on a SQLite ledger with two."""
    schema, advice, regions, candidate = _world()
    promises = Promises.of(advice, regions)
    many = promises[np.resize(np.arange(len(promises)), 20_000)]
    score = sf.as_score(candidate, promises.schema, favourable=1)
    judge = Judge.of(score, promises.schema)
    judge.judge(promises[:10])  # compiled
    began = time.process_time()
    judge.judge(many)
    each = 1e6 * (time.process_time() - began) / len(many)
    with tempfile.TemporaryDirectory() as place:
        folder, key = Path(place), new_key()
        (folder / "schema.toml").write_text(schema.to_toml())
        sf.save_model(candidate, folder / "model.skops")
        _issue(sf.Ledger.create(folder / "promises.db", key), advice, regions, size)
        files = [folder / name for name in ("promises.db", "schema.toml", "model.skops")]
        command = [sys.executable, "-c", TIMED, *map(str, files), key, str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak, kept, risk, broken = map(float, done.stdout.split())
    share = size / MANY
    return [
        {
            "benchmark": f"judge a promise, forest 50 × 8, one core ({len(promises)} different)",
            "measured": f"{each:.0f} µs of processor time",
            "bar": f"≤ {MICROSECONDS:g} µs",
            "met": each <= MICROSECONDS,
        },
        {
            "benchmark": f"gate on {size:,} promises, forest 50 × 8, SQLite, two cores",
            "measured": f"{seconds:.1f} s, {peak:.2f} GB; {kept:.0%} kept, {risk:.0%} at risk, "
            f"{broken:.0%} broken",
            "bar": f"≤ {SECONDS * share:g} s, ≤ {GIGABYTES:g} GB",
            "met": seconds <= SECONDS * share and peak <= GIGABYTES,
        },
    ]


def _world() -> tuple[sf.Schema, sf.Recommendations, Regions, RandomForestClassifier]:
    """Advice with regions under one forest, and another forest that may replace it."""
    data = sf.datasets.twin("give_me_some_credit", 20_000, seed=0)
    train, test = data.split(0.5, seed=0)
    later, _ = test.split(0.9, seed=1)

    def forest(part: sf.Dataset, seed: int) -> RandomForestClassifier:
        made = RandomForestClassifier(
            50, max_depth=8, class_weight="balanced", min_samples_leaf=10, random_state=seed
        )
        return made.fit(part.table, part.labels)

    model = sf.as_score(forest(train, 0), data.schema, favourable=1)
    q = sf.Percentiles.fit(train.table)
    refused = ~model.accepts(data.schema.matrix(test.table))
    people = test.table[refused].head(ADVISED)
    advice = sf.recommend(sf.MinimalCost(data.schema, q), model, people, jobs=2)
    return data.schema, advice, sf.region(advice, model, q), forest(later, 1)


def _issue(ledger: sf.Ledger, advice: sf.Recommendations, regions: Regions, size: int) -> None:
    """The same promises again and again, each to somebody else."""
    found = np.flatnonzero((advice.found & regions.found).to_numpy())
    for start in range(0, size, PART):
        n = min(PART, size - start)
        rows, index = np.resize(found, n), pd.RangeIndex(start, start + n)
        frames = [
            frame.iloc[rows].set_axis(index)
            for frame in (advice.factual, advice.counterfactual, advice.results)
        ]
        some = sf.Recommendations(advice.schema, *frames, advice.provenance)
        ledger.issue(some, regions=_repeated(regions, rows, index))


def _repeated(regions: Regions, rows: Any, index: pd.Index) -> Regions:
    tables = {
        one.name: getattr(regions, one.name).iloc[rows].set_axis(index)
        for one in fields(regions)
        if isinstance(getattr(regions, one.name), pd.DataFrame | pd.Series)
    }
    place = np.cumsum(regions.found.to_numpy()) - 1  # boxes are of people who have one
    return replace(regions, **tables, boxes=regions.boxes[place[rows]])
