"""What compiling costs: the first answer after an installation, and every kernel of the study."""

import os
import subprocess
import sys
import tempfile

# seconds of compiling, kernels that others wait for counted once, and of the whole
LISTENER = """
import time
from numba.core import event

class Compiling(event.Listener):
    depth, seconds = 0, 0.0

    def on_start(self, event):
        self.began = time.perf_counter() if self.depth == 0 else self.began
        self.depth += 1

    def on_end(self, event):
        self.depth -= 1
        self.seconds += time.perf_counter() - self.began if self.depth == 0 else 0.0

compiling = Compiling()
event.register("numba:compile", compiling)
"""
FIRST = """
import standfast as sf
from sklearn.ensemble import RandomForestClassifier
data = sf.datasets.twin("heloc")
forest = RandomForestClassifier(50, max_depth=5, random_state=0).fit(data.table, data.labels)
model = sf.as_score(forest, data.schema, favourable=1)
method = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
refused = data.table[~model.accepts(data.schema.matrix(data.table))]
began = time.perf_counter()
sf.recommend(method, model, refused.head(1))
print(time.perf_counter() - began)
"""
STUDY = """
from standfast.cli import app
app(["study", "--quick", "--out", FOLDER], standalone_mode=False)
print(compiling.seconds)
"""


def seconds(code: str) -> float:
    """The last line that the code prints, run where nothing is compiled yet."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/kernels"}
        code = f"FOLDER = {f'{folder}/study'!r}\n{LISTENER}{code}"
        run = [sys.executable, "-c", code]
        shown = subprocess.run(run, env=fresh, capture_output=True, text=True, check=True)
    return float(shown.stdout.splitlines()[-1])


def run() -> list[dict[str, object]]:
    first, study = seconds(FIRST), seconds(STUDY)
    return [
        {
            "benchmark": "first answer in a fresh cache, twin of heloc, forest 50 × depth 5",
            "measured": f"{first:.1f} s",
            "bar": "≤ 20 s",
            "met": first <= 20.0,
        },
        {
            "benchmark": "every kernel of the study, compiled once",
            "measured": f"{study:.1f} s",
            "bar": "≤ 60 s",
            "met": study <= 60.0,
        },
    ]
