"""Hunt for false proofs: random problems with coupled inputs, each solved by trying every point.

    python scripts/hunt_false_proofs.py --people 100000 --seed 0

Two thirds of the problems search ranges of values and refine them, although their grids are small
enough to be tried point by point; the others list every value, as grids of up to a thousand values
are. In every third problem equalities tie inputs together.

Prints every person whose proof is wrong, and how the searches ended.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

import standfast as sf
from standfast.search.problem import lattice, refinement

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples.coupled import balanced, coupled, disagreement

USUAL = lattice.LISTED, lattice.PARTS, refinement.FEW, refinement.PARTS
EACH = 10  # people of a problem
NARROW = ((2, 3, 2, 2), (4, 2, 3, 3))


def hunt(seed: int, number: int) -> tuple[Counter[str], list[str]]:
    """One problem's outcomes, and what is wrong with them."""
    sizes = (USUAL, *NARROW)[number % 3]
    lattice.LISTED, lattice.PARTS, refinement.FEW, refinement.PARTS = sizes
    drawn = balanced if number // 3 % 3 == 0 else coupled
    problem = drawn(np.random.default_rng([seed, number]))
    people = problem.people(EACH)
    if not len(people):
        return Counter(), []
    recs = sf.recommend(problem.method, problem.model, people)
    wrong = []
    rows = zip(recs.outcome, recs.cost, recs.results["lower_bound"], strict=True)
    for x, (outcome, cost, bound) in zip(problem.schema.matrix(people), rows, strict=True):
        shown = disagreement(problem, x, outcome, cost, bound)
        if shown or outcome == "unsound":
            wrong.append(f"problem {number}, person {x.tolist()}: {outcome}; {shown}")
    return Counter(recs.outcome), wrong


def main() -> None:
    """Hunt until enough people were searched for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    outcomes: Counter[str] = Counter()
    false, number, began = 0, 0, time.monotonic()
    while outcomes.total() < chosen.people:
        found, wrong = hunt(chosen.seed, number)
        outcomes, false, number = outcomes + found, false + len(wrong), number + 1
        for line in wrong:
            print(line, flush=True)
    took = time.monotonic() - began
    print(
        f"{outcomes.total()} people in {number} problems, {took:.0f} s: {false} false; {outcomes}"
    )


if __name__ == "__main__":
    main()
