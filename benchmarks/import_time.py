"""How long standfast takes to load, against the import of pandas and scikit-learn.

`import standfast` loads nothing by itself; timed is the import of what one needs for advice.
"""

import subprocess
import sys
from statistics import median

CLOCK = "import time; t = time.perf_counter(); {0}; print(time.perf_counter() - t)"
OURS = "from standfast import MinimalCost, Percentiles, Schema, as_score, recommend"
THEIRS = "import pandas, sklearn"


def seconds(imports: str) -> float:
    shown = subprocess.run(
        [sys.executable, "-c", CLOCK.format(imports)], capture_output=True, text=True, check=True
    )
    return float(shown.stdout)


def run() -> list[dict[str, object]]:
    pairs = [(seconds(OURS), seconds(THEIRS)) for _ in range(9)]
    ratio = median(ours / theirs for ours, theirs in pairs)
    return [
        {
            "benchmark": "import standfast",
            "measured": f"{median(p[0] for p in pairs):.2f} s, ratio {ratio:.2f}",
            "peer": f"import pandas, sklearn {median(p[1] for p in pairs):.2f} s",
            "bar": "ratio ≤ 1.3",
            "met": ratio <= 1.3,
        }
    ]
