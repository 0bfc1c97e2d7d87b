"""Scenes: a data set with one reference, named for people, and their part of each table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from standfast.figures.wording import counted, reference_words
from standfast.report.wording import people, share
from standfast.studies.settings import REFERENCES
from standfast.studies.tables import of_scene

Tables = Mapping[str, pd.DataFrame]

TWIN = "statistical twin, not real people"
_TITLES = {
    "heloc": "HELOC",
    "give_me_some_credit": "Give Me Some Credit",
    "sba_case": "SBA loans",
    "german_credit": "German credit",
}


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
        return f"{title(self.data)}, {reference_words(self.reference)}"

    @property
    def rivals(self) -> int:
        """How many rivals it has."""
        return self.count("rivals")

    @property
    def people(self) -> int:
        """How many refused people were asked about."""
        return self.count("people")

    def count(self, name: str) -> int:
        """A count of the table `scenes`; 0 where it is missing."""
        given = str(self.about[name])
        return int(float(given)) if given not in ("nan", "None", "<NA>") else 0

    @property
    def sentence(self) -> str:
        """Who is asked about, under which reference, and beside how many rivals."""
        origin = str(self.about["origin"])
        accuracy = share(float(str(self.about["accuracy"])))
        rivals = "is a rival" if self.rivals == 1 else "are rivals"
        own = self.reference not in REFERENCES
        which = f"The reference is {self.about['model']}. It was not fitted here and may have seen "
        which += "the people who are held out from its rivals. "
        return (
            f"{origin[:1].upper()}{origin[1:]}. {which * own}The reference is right about "
            f"{accuracy} of {people(self.count('test'))} held out and refuses "
            f"{self.count('refused')} of them; "
            f"{self.people} {'was' if self.people == 1 else 'were'} asked about. {self.rivals} of "
            f"{counted(self.count('candidates'), 'candidate')} {rivals}, at most "
            f"{self.about['epsilon']:g} worse."
        )

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """The scene's rows of a table."""
        return of_scene(table, self.data, self.reference)


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


def ran(tables: Tables, names: Sequence[str]) -> bool:
    """Whether the study has an exhibit that is made of these tables."""
    return any(len(tables[name]) for name in names)


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
    words = reference_words(str(reference)) if reference else ""
    return f"{title(str(data))}, {words}" if words else title(str(data))
