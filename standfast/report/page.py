"""The page itself: one HTML file that needs nothing else."""

import re
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from standfast.errors import InputError, listing
from standfast.figures import COLOURS, Figure
from standfast.figures.reading import finite, numbers, ordered
from standfast.figures.wording import counted, number
from standfast.files import visible, write_whole
from standfast.person_view.assets import asset
from standfast.report import (
    captions,
    complete,
    frontier,
    promises,
    semantics,
    sentences,
    sortable,
    wording,
)
from standfast.report.claims import SIGNS, claims
from standfast.report.person_browser import MOST, people, people_json, shown
from standfast.report.scenes import TWIN, Scene, Tables, ran, scenes, title, where
from standfast.studies.names import C_CHVAE, GLOSSARY, METHODS, PUBLISHED
from standfast.studies.tables import TIDY

GREY = "#767676"


def page(tables: Tables, figures: Sequence[Figure], about: Mapping[str, object]) -> str:
    """The report of a study as one self-contained HTML page.

    `tables` are the study's tidy tables, `figures` the pictures drawn from them, and `about` says
    where they come from. A table that is not there is refused; an empty one is shown as such.
    """
    absent = [name for name in TIDY if name not in tables]
    if absent:
        raise InputError(f"the study's tables lack {listing(absent)}; run the study again")
    there = scenes(tables)
    timings = tables["timings"]
    return (
        _environment()
        .get_template("page.html")
        .render(
            scenes=there,
            twin=TWIN,
            tidy=TIDY,
            tables=tables,
            introduction=sentences.introduction(tables),
            answer=sentences.answer(tables),
            bars=lambda scene: _bars(scene.of(tables["transfer_means"])),
            claims=claims(tables["claims"]),
            methods=_methods(tables),
            figures=[(f, _shown_in(f, there)) for f in figures],
            caption=lambda exhibit, scene: captions.caption(exhibit, tables, scene),
            semantics=lambda scene: semantics.semantics(scene.of(tables["semantics"])),
            sortable=lambda name, scene: sortable.sortable(name, scene.of(tables[name])),
            consistency=lambda scene: sortable.consistency(scene.of(tables["consistency"])),
            outcomes=lambda scene: sortable.outcomes(scene.of(tables["advice"])),
            frontier_ran=ran(tables, frontier.TABLES),
            promises_ran=ran(tables, promises.TABLES),
            complete_ran=ran(tables, complete.TABLES),
            promises_answer=promises.answer(tables, there),
            glossary=_glossary(tables),
            signs=SIGNS,
            levels=lambda scene: sortable.frontier_levels(scene.of(tables["frontier_levels"])),
            people=Markup(people_json(tables, _colours(tables))),
            shown=shown(tables),
            browsable=lambda scene: people(tables, scene)[:MOST],
            missing=tables["missing"].to_dict("records"),
            seconds=float(finite(timings["seconds"]).sum()),
            timings=timings.to_dict("records"),
            about=about,
            version=version("standfast"),
            person_js=Markup(asset("person.js")),
            person_css=Markup(asset("person.css")),
        )
    )


def write(
    tables: Tables, figures: Sequence[Figure], about: Mapping[str, object], path: Path
) -> None:
    """Write the report whole to `path`, or not at all."""
    text = page(tables, figures, about)
    write_whole(path, lambda file: file.write_text(text, encoding="utf-8"))


def _glossary(tables: Tables) -> dict[str, str]:
    """The methods on the page, each once, in words."""
    used = {*_methods(tables), *tables["frontier"]["method"], *tables["promises_year"]["method"]}
    return {method: words for method, words in GLOSSARY.items() if method in used}


@cache  # it keeps the templates compiled
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("standfast.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bold": bold,
        "share": wording.share,
        "number": number,
        "visible": visible,
        "colour": colour,
        "nested": lambda value: isinstance(value, Mapping),
    }
    environment.globals |= {"where": where, "title": title, "counted": counted}
    environment.globals["headcount"] = wording.people
    return environment


def _visible(value: object) -> object:
    """Text without what no page can hold, or what would turn the words around a name around."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return visible(str(value)) if plain else value


def bold(sentence: str) -> Markup:
    """The sentence as HTML, what stands between asterisks in bold.

    >>> bold("**3** of <b>")
    Markup('<strong>3</strong> of &lt;b&gt;')
    """
    html = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(visible(sentence))))
    return Markup(html.replace(C_CHVAE, f'<span class="method">{C_CHVAE}</span>'))


def colour(method: str) -> str:
    """A method's colour in every figure and table; grey for what has none."""
    return COLOURS.get(method, COLOURS.get(method.removesuffix(PUBLISHED), GREY))


def _colours(tables: Tables) -> dict[str, str]:
    return {str(method): colour(str(method)) for method in tables["advice"]["method"].unique()}


def _methods(tables: Tables) -> list[str]:
    used = {*tables["advice"]["method"], *tables["transfer_means"]["method"]}
    return [method for method in METHODS if method in used]


def _bars(means: pd.DataFrame) -> list[dict[Hashable, object]]:
    """Each method's mean transfer with its interval, as shares; none without advice."""
    means = sentences.judged(means)
    ends = {name: numbers(means[name]).clip(0.0, 1.0) for name in ("transfer", "lower", "upper")}
    measured = np.isfinite(ends["lower"]) & np.isfinite(ends["upper"])
    shown = means.assign(**ends, measured=measured).set_index("method", drop=False)
    return shown.loc[ordered(means["method"])].to_dict("records")


def _shown_in(figure: Figure, there: Sequence[Scene]) -> list[str]:
    """The scenes a figure is shown in: its own, or all of its data, or all."""
    return [
        scene.slug
        for scene in there
        if figure.data in ("", scene.data) and figure.reference in ("", scene.reference)
    ]
