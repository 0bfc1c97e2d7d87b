"""Advice, and what comes with it, as the fields of each person's letter in its language."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from standfast.certificate.lower_bound import percent
from standfast.errors import InputError
from standfast.letters.content import Certainty, Change, Content, Detail, Stuck, Way
from standfast.letters.evidence import Certified, Reasons
from standfast.letters.language import Language
from standfast.recommendations import Note, Outcome, Recommendations
from standfast.recommendations.causes import ActionGrid, Cause, RulesLeftAside, Together
from standfast.recommendations.move import Move
from standfast.schema import Feature, Schema
from standfast.schema.border import coded
from standfast.schema.bounds import stuck

DIGITS = 12  # of a model's fingerprint
NO_ADVICE = (Outcome.INFEASIBLE, Outcome.EXHAUSTED)


@dataclass(frozen=True, eq=False)
class Facts:
    """Advice, and what comes with it, from which each person's letter is made."""

    advice: Recommendations
    language: Language
    reasons: Mapping[int, Reasons] | None = None
    certified: Mapping[int, Certified] = field(default_factory=dict)
    valid_until: str = ""

    def __post_init__(self) -> None:
        for cause in self.advice.results["cause"]:
            if any(isinstance(one, RulesLeftAside) for one in _parts(cause)):
                raise InputError(
                    "this advice was searched as published, so some of it may be impossible to "
                    "follow; make it again without as_published before anybody gets a letter"
                )

    def content(self, row: int, picture: str = "") -> Content:
        """What one person's letter says."""
        advice = self.advice
        outcome = Outcome(advice.outcome.iloc[row])
        refused = outcome not in (Outcome.ALREADY_FAVOURABLE, Outcome.OUTSIDE_SCHEMA)
        reasons, complete = self._reasons(row) if refused else (None, False)
        kept = advice.results["kept_inputs"].iloc[row] if "kept_inputs" in advice.results else ()
        notes = [r.text for r in _parts(advice.results["cause"].iloc[row]) if isinstance(r, Note)]
        return Content(
            person=_line(advice.index[row]),
            outcome=str(outcome),
            way=self.way(row) if outcome.advises else None,
            alternatives=self._alternatives(row) if outcome.advises else (),
            reasons=reasons,
            all_reasons=complete,
            doubts=self._doubts(row) if outcome is Outcome.OUTSIDE_SCHEMA else (),
            stuck=self._stuck(row) if outcome in NO_ADVICE else (),
            kept=tuple(self.label(advice.schema[name]) for name in kept),
            note=_line(" ".join(notes)),
            valid_until=self.valid_until,
            certificate=self._certainty(row),
            picture=picture,
            origin=advice.origin,
            model=advice.provenance.model[:DIGITS],
            version=advice.provenance.standfast,
            language=self.language.code,
        )

    # inputs and values in the letter's language

    def label(self, feature: Feature) -> str:
        """What people read of an input."""
        return feature.words_in(self.language.code)

    def text(self, feature: Feature, shown: str) -> str:
        """A value that the schema shows, in the language; a category without a label stays."""
        if feature.coder is None:
            return self.language.number(shown)
        return _line(feature.category_words(self.language.code).get(shown, shown))

    def _detail(self, feature: Feature, value: float) -> Detail:
        missing = bool(feature.is_missing(value))
        shown = "" if missing else self.text(feature, feature.shown(value))
        return Detail(self.label(feature), shown)

    # parts of a letter

    def _reasons(self, row: int) -> tuple[tuple[Detail, ...] | None, bool]:
        if self.reasons is None:
            return None, False
        found, schema = self.reasons.get(row, Reasons((), 0)), self.advice.schema
        own = self._own[row]
        details = [self._detail(schema[n], own[schema.names.index(n)]) for n in found.features]
        return tuple(details), len(details) == found.blocking

    def way(self, row: int) -> Way:
        """The advice."""
        X, Y = self.matrices
        return self._changes(X[row], Y[row], self.advice.results.iloc[row], self._gaps[row])

    def _alternatives(self, row: int) -> tuple[Way, ...]:
        """The person's other ways, from where they will stand by then."""
        ways, schema = self.advice.alternatives, self.advice.schema
        if ways is None:
            return ()
        found, first = [], (*self.matrices[1][row], self.advice.months[row])
        for k in self._whose.get(row, ()):
            goal, about = self._goals[k], ways.iloc[k]
            months = float(about.get("after_months", 0.0))
            if not np.array_equal((*goal, months), first):
                gap = (about["cost"] - about["lower_bound"]) / (about["cost"] or 1.0)
                then = schema.moved_on(self._own[[row]], months)[0]
                found.append(self._changes(then, goal, about, gap))
        return tuple(found)

    def _changes(self, x: Any, y: Any, about: "pd.Series[Any]", gap: float) -> Way:
        pairs = [
            (f, Move.of(f, a, b))
            for f, a, b in zip(self.advice.schema, x, y, strict=True)
            if a != b
        ]
        changes = tuple(
            Change(self.label(f), m.way, m.start and self.text(f, m.start), self.text(f, m.goal))
            for f, m in pairs
        )
        months = about.get("after_months", 0.0)
        waited = self.language.number(f"{months:g}") if months > 0 else ""
        # the cheapest of an action grid: other possibilities were never tried
        partial = any(isinstance(one, ActionGrid) for one in _parts(about.get("cause")))
        ended = Outcome.FOUND if partial else about["outcome"]
        return Way(changes, waited, str(ended), self._gap(gap))

    def _gap(self, gap: float) -> str:
        """The gap as a percentage, rounded up so that it is never said too small."""
        if not math.isfinite(gap) or gap <= 0:
            return ""
        return self.language.number(f"{math.ceil(gap * 1000 - 1e-9) / 10:g}") + " %"

    def _doubts(self, row: int) -> tuple[Detail, ...]:
        """The details that the schema does not admit, by themselves or by a relation."""
        schema, own = self.advice.schema, self.advice.factual.iloc[[row]]
        names = [f.name for f in schema if any(Schema((f,)).judged(own[[f.name]])[1])]
        for relation in schema.relations:
            involved = [name for name, _ in relation.terms]
            law = Schema(tuple(schema[name] for name in involved), (relation,))
            if not set(involved) & set(names) and any(law.judged(own[involved])[1]):
                names += involved
        return tuple(
            Detail(self.label(schema[name]), self._given(own[name].iloc[0]))
            for name in dict.fromkeys(names)
        )

    def _stuck(self, row: int) -> tuple[Stuck, ...]:
        """Inputs whose bound in the schema contradicts the way they may go."""
        own, schema, found = self._own[row], self.advice.schema, []
        for j in np.flatnonzero(stuck(schema, own)):
            feature = schema.features[j]
            way = "rise" if feature.direction == "up" else "fall"
            ends = own[j], feature.last
            value, bound = (self.text(feature, feature.shown(end)) for end in ends)
            found.append(Stuck(self.label(feature), value, way, bound))
        return tuple(found)

    def _given(self, value: Any) -> str:
        """A value as it was given, whatever it is."""
        if pd.isna(value):
            return ""
        if isinstance(value, int | float | np.number) and not isinstance(value, bool):
            return self.language.number(repr(float(value)).removesuffix(".0"))
        return _line(value)

    def _certainty(self, row: int) -> Certainty | None:
        found = self.certified.get(row)
        if found is None:
            return None
        shares = (percent(found.lower), f"{100 * found.confidence:.6g} %")
        lower, confidence = (text.replace(".", self.language.decimal) for text in shares)
        kept, models = (self.language.number(str(n)) for n in (found.kept, found.models))
        return Certainty(lower, confidence, kept, models, found.simultaneous)

    # computed once

    @cached_property
    def matrices(self) -> tuple[Any, Any]:
        """Where everybody stands by then, and where advice sends them."""
        return self.advice.matrices()

    @cached_property
    def _gaps(self) -> Any:
        return self.advice.gap.to_numpy()

    @cached_property
    def _own(self) -> Any:
        return coded(self.advice.factual, self.advice.schema.features)

    @cached_property
    def _goals(self) -> Any:
        ways = self.advice.alternatives
        schema = self.advice.schema
        return (
            [] if ways is None or ways.empty else coded(ways[list(schema.names)], schema.features)
        )

    @cached_property
    def _whose(self) -> Mapping[Any, Any]:
        """Each person's rows among the alternatives."""
        ways = self.advice.alternatives
        if ways is None:
            return {}
        rows = self.advice.index.get_indexer(pd.Index(ways["person"]))
        return pd.Series(rows).groupby(rows).indices


def _parts(cause: Cause | None) -> tuple[Cause, ...]:
    return cause.causes if isinstance(cause, Together) else (cause,) if cause else ()


def _line(text: object) -> str:
    """A text in one line, for a name with line breaks could forge lines of the letter."""
    return " ".join(str(text).split())
