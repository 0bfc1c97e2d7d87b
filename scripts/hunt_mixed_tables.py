"""Looks for false proofs on tables with categories, gaps and rules by trying every point.

    python scripts/hunt_mixed_tables.py --problems 10000 --seed 0

Prints every disagreement between the exact search and brute force, and how many people were served.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from standfast import recommend

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from samples.mixed import Problem, faults


def main() -> None:
    """Draw, search, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    people = wrong = 0
    ended: dict[str, int] = {}
    for seed in range(given.seed, given.seed + given.problems):
        problem = Problem.drawn(np.random.default_rng(seed))
        found = recommend(problem.method, problem.model, problem.table)
        people += len(found)
        for outcome, count in found.counts().items():
            ended[str(outcome)] = ended.get(str(outcome), 0) + int(count)
        for fault in faults(problem, found):
            wrong += 1
            print(f"seed {seed}: {fault}")
    print(f"{given.problems:,} problems, {people:,} people, {wrong} disagreements; {ended}")


if __name__ == "__main__":
    main()
