"""Run every benchmark, print the table and write it as JSON."""

import argparse
import importlib
import json
import platform
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

SUBJECTS = (
    "tree_scoring",
    "growing_spheres",
    "cchvae",
    "import_time",
    "cold_start",
    "advisor",
    "throughput",
    "batches",
    "exact_search",
    "reasons",
    "horizons",
    "evaluation",
    "level_sets",
    "linear_level_set",
    "tree_level_set",
    "invariant",
    "certifying",
    "ellice_peer",
    "mixed_tables",
    "promises",
    "gate",
    "workbench",
)
# beside another checkout, so only when asked for
VERSIONS = "versions"
PACKAGES = ("standfast", "numpy", "numba", "pandas", "scikit-learn", "jax", "equinox", "optax")


def main() -> None:
    """Measure the named subjects, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("subjects", nargs="*", help=", ".join((*SUBJECTS, VERSIONS)))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results.json")
    parser.add_argument("--other", type=Path, help=f"{VERSIONS}: a checkout of another version")
    parser.add_argument("--only", default="", help=f"{VERSIONS}: rows that contain this text")
    parser.add_argument(
        "--size",
        type=int,
        help="promises, gate, batches: how many (a million); throughput: 100,000 people",
    )
    parser.add_argument("--ledger", help="promises: an empty PostgreSQL database, by its address")
    options = parser.parse_args()
    if (options.subjects == [VERSIONS]) != (options.other is not None):
        parser.error(f"{VERSIONS} goes alone and with --other, a checkout of another version")
    console, rows = Console(), []
    for subject in options.subjects or SUBJECTS:
        if subject not in (*SUBJECTS, VERSIONS):
            parser.error(f"unknown subject '{subject}'; choose from {', '.join(SUBJECTS)}")
        given = [options.other, options.only] if subject == VERSIONS else []
        if subject == "promises":
            given = [options.size or 10**6, options.ledger]
        if subject in ("gate", "batches"):
            given = [options.size or 10**6]
        if subject == "throughput" and options.size:
            given = [options.size]
        with console.status(f"measuring {subject}"):
            rows += importlib.import_module(f"benchmarks.{subject}").run(*given)
    columns = ("benchmark", "measured", "peer", "bar", "met")
    table = Table(*columns, title="standfast benchmarks")
    for row in rows:
        table.add_row(*(_shown(row.get(column, "")) for column in columns))
    console.print(table)
    about = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
    options.out.write_text(json.dumps({"about": about, "rows": rows}, indent=2) + "\n")
    console.print(f"written to {options.out.name}")


def _shown(value: object) -> str:
    return {True: "yes", False: "NO"}[value] if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    main()
