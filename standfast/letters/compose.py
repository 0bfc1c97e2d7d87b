"""compose(): everybody's letter, and a folder of them."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.errors import InputError, listing
from standfast.files import write_folder, write_table
from standfast.letters.evidence import certified_of, reasons_of
from standfast.letters.facts import Facts
from standfast.letters.picture import Drawing, Picture
from standfast.letters.templates import Templates
from standfast.percentiles import Percentiles
from standfast.recommendations import Recommendations
from standfast.recommendations.recommendations import check_recommendations
from standfast.schema import Schema

LONGEST = 40  # letters of a person's label in a file's name


@dataclass(frozen=True)
class Letter:
    """One person's letter, as a page and as plain text."""

    html: str
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Letters:
    """Everybody's letter; each is filled in when it is asked for.

    `letters["4711"]` is the letter of the person with that label; `write` makes a folder of all.
    """

    facts: Facts
    templates: Templates
    picture: Picture | None = None

    def __len__(self) -> int:
        return len(self.facts.advice)

    def __iter__(self) -> Iterator[Letter]:
        return (self._letter(row) for row in range(len(self)))

    def __getitem__(self, person: Any) -> Letter:
        if person not in self.facts.advice.index:
            raise InputError(f"there is no person {person!r} among those advised")
        return self._letter(int(self.facts.advice.index.get_indexer(pd.Index([person]))[0]))

    def __repr__(self) -> str:
        return f"<Letters: {len(self)} in {self.facts.language.code!r}>"

    def _letter(self, row: int) -> Letter:
        drawn = "" if self.picture is None else self.picture(self.facts.advice.index[row])
        start = max(0, drawn.find("<svg"))  # a file's first lines have no place in a page
        return Letter(*self.templates.rendered(self.facts.content(row, drawn[start:])))

    def write(self, folder: Path | str) -> None:
        """Write a page and a text per person, and `letters.csv`, which says whose they are.

        The folder is new, and is there when all letters are, or not at all.
        """
        write_folder(folder, self._fill)

    def _fill(self, folder: Path) -> None:
        people, digits = self.facts.advice.index, len(str(len(self)))
        names = [f"{k:0{digits}}{_plain(person)}" for k, person in enumerate(people, start=1)]
        for name, letter in zip(names, self, strict=True):
            (folder / f"{name}.html").write_text(letter.html, encoding="utf-8")
            (folder / f"{name}.txt").write_text(letter.text, encoding="utf-8")
        listed = {"person": people, "html": [f"{name}.html" for name in names]}
        listed["text"] = [f"{name}.txt" for name in names]
        write_table(pd.DataFrame(listed), folder / "letters.csv")


def compose(
    recommendations: Recommendations,
    *,
    reasons: pd.DataFrame | None = None,
    certificate: pd.DataFrame | None = None,
    valid_until: date | str | None = None,
    language: str = "en",
    template: Path | str | None = None,
    picture: Picture | Percentiles | None = None,
) -> Letters:
    """A letter for everybody: the decision, its reasons, what would change it, what holds how long.

    `reasons` and `certificate` are tables as `to_frame` of `sf.reasons` and `sf.certify` gives
    them. Until `valid_until` you stand by what the letters say; without it they promise no date.
    `template` is a folder as `copy_templates` writes it, with a folder for the `language` in it.
    Inputs and categories are called by their labels in the language. With the percentiles of a
    reference table as `picture` each page shows the person among its people, as `sf.plot_person`
    draws it; a function gives drawings of your own, a person's as SVG.

    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, recommend
    >>> table = pd.DataFrame({"income": [1200.0, 2500.0, 1800.0]})
    >>> schema = Schema((Feature("income", step=50, labels={"de": "Einkommen"}),))
    >>> best = MinimalCost(schema, Percentiles.fit(table))
    >>> advice = recommend(best, Linear([1.0], -1500.0), table.head(1))
    >>> "Einkommen von 1.200 auf 1.550 erhöhen" in compose(advice, language="de")[0].text
    True
    """
    check_recommendations(recommendations)
    templates = Templates.read(template, language)
    spoken = templates.language
    until = "" if valid_until is None else spoken.day(as_date(valid_until))
    known = None if reasons is None else reasons_of(reasons, recommendations)
    certified = {} if certificate is None else certified_of(certificate, recommendations)
    facts = Facts(recommendations, spoken, known, certified, until)
    draw = Drawing(facts, picture) if isinstance(picture, Percentiles) else picture
    if language != "en":  # the language that names and labels without one are in
        for lacking in _unnamed(recommendations.schema, language):
            warnings.warn(lacking, stacklevel=2)
    return Letters(facts, templates, draw)


def _unnamed(schema: Schema, language: str) -> Iterator[str]:
    """What the schema has no label for in a language, one sentence each."""
    inputs = [f.name for f in schema if language not in dict(f.labels)]
    if inputs:
        yield (
            f"the schema has no label in {language!r} for {listing(inputs)}; the usual ones are "
            f"used: add labels = {{{language} = …}} to these inputs of the schema"
        )
    for feature in schema:
        named = feature.category_words(language)
        texts = [c for c in feature.categories or () if isinstance(c, str) and c not in named]
        if texts:
            yield (
                f"the schema has no label in {language!r} for {listing(texts)} of "
                f"{feature.name!r}; the usual ones are used: add category_labels = "
                f"{{{language} = {{…}}}} to this input of the schema"
            )


def as_date(value: date | str) -> date:
    """A date, also as text such as 2027-05-31."""
    try:
        return value if isinstance(value, date) else date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InputError(
            f"valid_until is {value!r}; it must be a date such as 2027-05-31"
        ) from None


def _plain(person: object) -> str:
    """A label as any file system takes it, as far as letters and digits can spell it."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", str(person)).strip("-")[:LONGEST]
    return f"-{plain}" if plain else ""
