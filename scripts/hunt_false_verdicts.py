"""Looks for false verdicts of the gate by asking models about every point of small boxes.

    python scripts/hunt_false_verdicts.py --problems 10000 --seed 0

Prints every disagreement, and how many promises could not be decided.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from samples.judged import faults


def main() -> None:
    """Draw, judge, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    wrong = open_questions = 0
    for seed in range(given.seed, given.seed + given.problems):
        found, undecided = faults(seed)
        wrong, open_questions = wrong + len(found), open_questions + len(undecided)
        for fault in found:
            print(f"seed {seed}: {fault}")
    print(f"{given.problems:,} problems, {wrong} disagreements, {open_questions} undecided")


if __name__ == "__main__":
    main()
