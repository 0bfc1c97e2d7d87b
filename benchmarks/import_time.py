"""How long `import standfast` takes, against the import of pandas and scikit-learn."""

import subprocess
import sys
from statistics import median

CLOCK = "import time; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"


def seconds(modules: str) -> float:
    shown = subprocess.run(
        [sys.executable, "-c", CLOCK.format(modules)], capture_output=True, text=True, check=True
    )
    return float(shown.stdout)


def run() -> list[dict[str, object]]:
    pairs = [(seconds("standfast"), seconds("pandas, sklearn")) for _ in range(9)]
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
