"""What the scripts that compute one exhibit of the study ask for alike."""

import argparse
from pathlib import Path

from standfast.studies import SIZES
from standfast.studies.settings import REFERENCES

DOTS_PER_INCH = 110


def parsed(parser: argparse.ArgumentParser, table: str) -> argparse.Namespace:
    """What was asked for; without data sets to compute, the table must be there."""
    asked = parser.parse_args()
    if not asked.data and not (asked.out / f"{table}.csv").is_file():
        parser.error(f"'{asked.out}' holds no {table}.csv; compute it: --data twin:heloc")
    return asked


def options(about: str | None, steps: str) -> argparse.ArgumentParser:
    """Where to, which scenes, how large; `steps` names the folder for what is finished."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0] if about else None)
    parser.add_argument("out", type=Path, help="where the tables are, or go")
    parser.add_argument("--data", action="append", default=[], help="as standfast study names it")
    parser.add_argument(
        "--reference", action="append", choices=REFERENCES, help="both unless given"
    )
    parser.add_argument("--size", choices=SIZES, default="usual")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=Path, default=Path(steps))
    return parser
