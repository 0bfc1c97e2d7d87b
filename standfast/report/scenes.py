"""Scenes: a data set with one reference, named for people, and their part of each table."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from standfast.report.wording import count, share
from standfast.studies.tables import METHODS

Tables = Mapping[str, pd.DataFrame]

ADVISING = METHODS[:-2]
DO_NOTHING, RECONSTRUCTION = METHODS[-2:]
TWIN = "statistical twin, not real people"
_NUMBERS = ("accuracy", "candidates", "epsilon")
_TITLES = {"heloc": "HELOC", "give_me_some_credit": "Give Me Some Credit"}


@dataclass(frozen=True)
class Scene:
    """A data set with one reference."""

    data: str
    reference: str
    twin: bool
    slug: str  # its name in the page's addresses
    about: Mapping[str, object]  # its row of the table `scenes`

    @property
    def label(self) -> str:
        """Its name for people."""
        return f"{title(self.data)}, {self.reference} reference"

    @property
    def rivals(self) -> int:
        """How many rivals it has."""
        return int(str(self.about["rivals"]))

    @property
    def people(self) -> int:
        """How many refused people were asked about."""
        return int(str(self.about["people"]))

    @property
    def sentence(self) -> str:
        """Who is asked about, under which reference, and beside how many rivals."""
        row = self.about
        accuracy, candidates, epsilon = (_float(row, c) for c in _NUMBERS)
        origin = str(row["origin"])
        rivals = "is a rival" if self.rivals == 1 else "are rivals"
        return (
            f"{origin[:1].upper()}{origin[1:]}. Reference: {row['model']}, right about "
            f"{share(accuracy)} of {row['test']} held-out people. It refuses {row['refused']} of "
            f"them; {self.people} {'was' if self.people == 1 else 'were'} asked about. "
            f"{self.rivals} of {count(candidates, 'candidate')} {rivals}, at most "
            f"{epsilon:g} worse."
        )

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """The scene's rows of a table."""
        return table[(table["data"] == self.data) & (table["reference"] == self.reference)]


def _float(row: Mapping[str, object], name: str) -> float:
    return float(str(row[name]))


def scenes(tables: Tables) -> list[Scene]:
    """The scenes of a study, in its order."""
    found: list[Scene] = []
    for row in tables["scenes"].to_dict("records"):
        data, reference = str(row["data"]), str(row["reference"])
        slug = re.sub(r"[^a-z0-9]+", "-", f"{data} {reference}".lower()).strip("-") or "scene"
        if slug in {scene.slug for scene in found}:
            slug = f"{slug}-{len(found)}"
        about = {str(name): value for name, value in row.items()}
        found.append(Scene(data, reference, bool(row["twin"]), slug, about))
    return found


def title(data: str) -> str:
    """A data set's name for people.

    >>> title("twin:heloc"), title("mine.csv")
    ('Twin of HELOC', 'mine.csv')
    """
    name = data.removeprefix("twin:")
    return f"Twin of {_TITLES.get(name, name)}" if name != data else _TITLES.get(name, name)


def where(data: object, reference: object) -> str:
    """The scene a row is about; a row may be about all of them."""
    if not data:
        return "all scenes"
    return f"{title(str(data))}, {reference} reference" if reference else title(str(data))


def in_order(methods: "pd.Series[str]") -> list[str]:
    """The methods that occur, in the order of every table and figure."""
    there = list(dict.fromkeys(methods.astype(str)))
    return [m for m in METHODS if m in there] + [m for m in there if m not in METHODS]
