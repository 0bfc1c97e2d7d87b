"""What an issue writes about each person: values, words, reasons and facts, checked first."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing, type_of
from standfast.methods.region import Regions
from standfast.promises.ledger.evidence import Proof, check_same, finite
from standfast.promises.ledger.packing import Packing
from standfast.promises.ledger.terms import OPEN, Evidence, Terms
from standfast.recommendations import Recommendations
from standfast.recommendations.boxes import Boxes
from standfast.recommendations.recommendations import check_recommendations
from standfast.schema import Schema

Bools = NDArray[np.bool_]
# promised, outcome, cost, certified, months: what a decision's row says openly
Facts = tuple[int, str, float | None, float | None, float]


@dataclass(frozen=True, eq=False)
class Contents:
    """Recommendations as the ledger takes them, with what goes with them."""

    recommendations: Recommendations
    boxes: Boxes | None
    promised: Bools  # who has advice, and a box where regions were given
    proof: Proof
    terms: Terms

    @classmethod
    def of(
        cls,
        recommendations: Recommendations,
        regions: Regions | None,
        evidence: Evidence,
        terms: Terms,
    ) -> "Contents":
        """Everything that fits together; what does not is refused before anything is written."""
        check_recommendations(recommendations)
        if not len(recommendations):
            raise InputError("the recommendations hold no people; there is nothing to issue")
        index = recommendations.index
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise InputError(f"two rows are labelled {twice!r}; every person needs their own label")
        promised = recommendations.found.to_numpy(dtype=bool)
        if regions is not None:
            check_same(regions.index, index, "regions", "region(recommendations, …)")
            promised = promised & regions.found.to_numpy(dtype=bool)
        proof = Proof.of(evidence, recommendations)
        _check_terms(terms, index)
        boxes = None if regions is None else regions.boxes
        return cls(recommendations, boxes, promised, proof, terms)

    @property
    def index(self) -> pd.Index:
        """The people."""
        return self.recommendations.index

    @property
    def schema(self) -> Schema:
        """What the columns mean."""
        return self.recommendations.schema

    def part(self, rows: slice) -> "Contents":
        """Some of the people in a row."""
        boxes = self.boxes
        if boxes is not None:
            before = int(self.promised[: rows.start].sum())
            boxes = boxes[before : before + int(self.promised[rows].sum())]
        return Contents(self._of(rows), boxes, self.promised[rows], self.proof[rows], self.terms)

    def advised(self) -> "Contents":
        """Those who are promised something."""
        rows = np.flatnonzero(self.promised)
        if not len(rows):
            raise InputError("nobody among these people has advice; there is nothing to promise")
        promised, proof = self.promised[rows], self.proof[rows]
        return Contents(self._of(rows), self.boxes, promised, proof, self.terms)

    def _of(self, rows: slice | NDArray[np.intp]) -> Recommendations:
        recs = self.recommendations
        return Recommendations(
            recs.schema,
            recs.factual.iloc[rows],
            recs.counterfactual.iloc[rows],
            recs.results.iloc[rows],
            recs.provenance,
        )

    def packed(self) -> list[bytes]:
        """What is sealed of each person: values, box and words."""
        recs, schema = self.recommendations, self.schema
        X, Y = recs.matrices()
        Y = np.where(self.promised[:, None], Y, X)
        lower, upper = Y.copy(), Y.copy()
        packing = Packing(schema)
        inside = {
            j: np.zeros((len(X), width), dtype=bool)
            for j, width in zip(packing.nominal, packing.widths, strict=True)
        }
        own = self.promised
        boxes = self.boxes if self.boxes is not None else Boxes.of_points(schema, Y[own])
        lower[own], upper[own] = boxes.lower, boxes.upper
        for j, members in boxes.inside.items():
            inside[j][own] = members
            lower[:, j] = upper[:, j] = np.nan
        whole = Boxes(schema, lower, upper, inside)
        return packing.packed(X, Y, whole, self._words())

    def _words(self) -> list[bytes]:
        """The words each person was sent, and why they were refused."""
        wording = self.terms.wording
        texts = (
            self.recommendations.sentences() if wording is None else wording.reindex(self.index)
        ).tolist()
        return [
            json.dumps([text, reason] if reason else [text], ensure_ascii=False).encode()
            for text, reason in zip(texts, self.proof.refusals, strict=True)
        ]

    @property
    def facts(self) -> list[Facts]:
        """What each decision's row says openly."""
        recs = self.recommendations
        columns = zip(
            self.promised.astype(int).tolist(),
            recs.outcome.astype(str).tolist(),
            _numbers(recs.cost.to_numpy(dtype=np.float64)),
            _numbers(self.proof.lower),
            recs.months.tolist(),
            strict=True,
        )
        return list(columns)

    @property
    def about(self) -> dict[str, Any]:
        """What holds for all of a batch."""
        came_from = self.recommendations.provenance
        return {
            "schema": self.schema.digest,
            "model": came_from.model,
            "method": came_from.method,
            "language": self.terms.language,
            "confidence": self.proof.confidence,
            "certificate": self.proof.certificate,
        }

    @property
    def origin(self) -> dict[str, Any]:
        """Where the advice comes from, in plain values."""
        return {"provenance": finite(self.recommendations.provenance.to_json())}

    @property
    def replaced(self) -> dict[int, int]:
        """For some of the people, by position, the promise that theirs takes the place of."""
        earlier = self.terms.replaces
        if earlier is None or isinstance(earlier, str):
            return {}
        pairs: Any = earlier.dropna().items() if isinstance(earlier, pd.Series) else earlier.items()
        known = {label: int(number) for label, number in pairs}
        return {i: known[label] for i, label in enumerate(self.index) if label in known}


def _check_terms(terms: Terms, index: pd.Index) -> None:
    if not isinstance(terms, Terms):
        raise InputError(f"terms is {type_of(terms)}; give Terms(language=…)")
    if not isinstance(terms.language, str) or not 2 <= len(terms.language) <= 35:
        raise InputError(f"language is {terms.language!r}; give a tag such as 'en' or 'de-AT'")
    wording = terms.wording
    if wording is not None:
        if not isinstance(wording, pd.Series):
            raise InputError(f"wording is {type_of(wording)}; give a Series, one text per person")
        absent = index.difference(wording.index)
        if len(absent) or not wording.index.is_unique:
            raise InputError("the wording lacks some people or has one twice; give one text each")
        if not all(isinstance(text, str) for text in wording):
            raise InputError("the wording holds something that is not text; give one text each")
    _check_replaces(terms, index)


def _check_replaces(terms: Terms, index: pd.Index) -> None:
    if terms.replaces is None:
        if terms.repairs:
            raise InputError("repairs goes with replaces: say which promises are repaired")
        return
    if terms.draft:
        raise InputError(
            "a draft takes no promise's place: people would have nothing to rely on; issue the new "
            "promises, or draft them without replacing others"
        )
    if isinstance(terms.replaces, str) and terms.replaces == OPEN:
        return
    if not isinstance(terms.replaces, Mapping | pd.Series):
        raise InputError(
            f"replaces must give promise numbers by people's labels, or be '{OPEN}': all open ones"
        )
    labels = terms.replaces.index if isinstance(terms.replaces, pd.Series) else terms.replaces
    strange = [label for label in labels if label not in index]
    if strange:
        raise InputError(f"replaces names {listing(strange, 3)}, who got no recommendation")


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [None if v != v else v for v in values.tolist()]
