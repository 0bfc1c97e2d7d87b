"""Certifying advice by 200 forests from a folder: from kept structures, and from model files."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from benchmarks.sets import real_or_twin

MODELS, PEOPLE, ROWS = 200, 500, 20_000
SECONDS = 3.0
# a process of its own: reading and certifying are timed without what was imported before
TIMED = """
import sys, time
import standfast as sf
recs = sf.Recommendations.read(sys.argv[2])
start, used = time.perf_counter(), time.process_time()
fresh = sf.FreshModels.load(sys.argv[1])
found = sf.certify(recs, fresh.certify)
print(time.perf_counter() - start, time.process_time() - used)
print(found.to_frame().to_csv())
"""


def run() -> list[dict[str, object]]:
    """One row: 200 forests of 50 trees, depth 6 to 8, certify the optimal advice of 500 people."""
    whole = real_or_twin("give_me_some_credit")
    train, test = whole.split(0.8, seed=0)
    if len(train) > ROWS:
        train, _ = train.split(ROWS / len(train), seed=1)
    forest = RandomForestClassifier(
        50, max_depth=8, min_samples_leaf=10, class_weight="balanced", random_state=0
    )
    fresh = sf.fresh_models(
        forest,
        train,
        draws={"max_depth": [6, 7, 8], "min_samples_leaf": [10, 20, 50]},
        sizes={"search": 0, "choose": 0, "certify": MODELS},
        epsilon=sf.Tolerance(0.03, "balanced_error"),
        jobs=2,
    )
    f = sf.as_score(forest.fit(train.table, train.labels), whole.schema, favourable=1)
    refused = test.table[~f.accepts(whole.schema.matrix(test.table))].iloc[:PEOPLE]
    best = sf.MinimalCost(whole.schema, sf.Percentiles.fit(train.table))
    with tempfile.TemporaryDirectory() as place:
        folder, advice = Path(place) / "fresh", Path(place) / "advice.parquet"
        sf.recommend(best, f, refused).write(advice)
        start = time.perf_counter()
        fresh.save(folder)
        saved = time.perf_counter() - start
        kept = (folder / "structures.npz").stat().st_size
        models = sum(file.stat().st_size for file in folder.glob("*.skops"))
        quick, same = _timed(folder, advice)
        bare = Path(shutil.copytree(folder, Path(place) / "bare"))
        (bare / "structures.npz").unlink()  # as folders were before
        slow, shown = _timed(bare, advice)
    assert same == shown
    place_name = f"{whole.name}{' (twin)' * whole.is_twin}"
    return [
        {
            "benchmark": f"certify, {MODELS} forests 50 × 8 from a folder, {PEOPLE} people, "
            f"{place_name}",
            "measured": f"{quick[0]:.2f} s ({quick[1]:.2f} s CPU), {slow[0] / quick[0]:.0f}× "
            f"faster; {kept / 1e6:.0f} MB of structures, saved in {saved:.0f} s",
            "peer": f"from the model files alone {slow[0]:.1f} s ({slow[1]:.1f} s CPU), "
            f"{models / 1e6:.0f} MB",
            "bar": f"≤ {SECONDS:g} s",
            "met": quick[0] <= SECONDS,
        }
    ]


def _timed(folder: Path, advice: Path) -> tuple[tuple[float, float], str]:
    """Seconds by the clock and of the processor, and the certificates."""
    command = [sys.executable, "-c", TIMED, str(folder), str(advice)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    times, table = out.split("\n", 1)
    taken, used = map(float, times.split())
    return (taken, used), table
