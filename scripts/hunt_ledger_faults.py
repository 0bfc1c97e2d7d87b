"""Looks for a ledger that loses, doubles or hides something: kills, edits, writers at once, noise.

    python scripts/hunt_ledger_faults.py --kills 200 --edits 10000 --writers 8 --fuzz 2000 --seed 0

Kills end a process that issues promises and records gates, and one that repairs promises, at a
random moment, with SIGKILL; the same work is then done again, and nothing may be lost or doubled.
Edits change one byte of the file, or delete, swap or insert rows: whatever changes a fact must be
found, by opening or by verify. Writers issue at the same time to one ledger. Fuzz gives addresses,
keys, dates and rows that are none: each must end in a sentence. Prints counts, and every fault
with what made it.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples import server
from samples.faults import edits, fuzz, kills, kills_of_repair, writers


def main() -> None:
    """Hunt, and exit with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--edits", type=int, default=0)
    parser.add_argument("--writers", type=int, default=0)
    parser.add_argument("--fuzz", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder, server.running() as address:
        place = Path(folder)
        for name, count, hunt in (
            ("kills", given.kills, lambda n: kills(place, n, given.seed)),
            ("kills of repair", given.kills, lambda n: kills_of_repair(place, n, given.seed)),
            ("edits", given.edits, lambda n: edits(place, n, given.seed)),
            ("fuzz", given.fuzz, lambda n: fuzz(place, n, given.seed)),
            ("writers", given.writers, lambda n: writers(place, address, n)),
        ):
            if count:
                began = time.monotonic()
                seen, wrong = hunt(count)
                print(
                    f"{name}: {dict(Counter(seen))}, {time.monotonic() - began:.0f} s", flush=True
                )
                faults += [f"{name}: {one}" for one in wrong]
    for fault in faults:
        print(f"FAULT {fault}")
    print(f"{len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
