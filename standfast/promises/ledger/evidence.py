"""What goes with promises as the ledger keeps it: certified shares, and reasons in plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.certificate import Certificate
from standfast.errors import InputError, listing, type_of
from standfast.evaluation.reasons import Reasons, Refusal
from standfast.promises.ledger.terms import Evidence
from standfast.recommendations import Recommendations

Plain = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Proof:
    """For each person the certified share (NaN without one) and the reasons; for all, the rest."""

    lower: NDArray[np.float64]
    refusals: list[Plain | None]
    confidence: float | None
    certificate: Plain | None

    @classmethod
    def of(cls, evidence: Evidence, advice: Recommendations) -> "Proof":
        """Evidence that is about this advice; what is not is refused."""
        if not isinstance(evidence, Evidence):
            raise InputError(f"evidence is {type_of(evidence)}; give Evidence(certificate=…)")
        n = len(advice)
        lower, confidence, about = np.full(n, np.nan), None, None
        if evidence.certificate is not None:
            frame, about = _certificate(evidence.certificate)
            check_same(frame.index, advice.index, "certificates", "certify(recommendations, …)")
            lower = frame["lower"].to_numpy(dtype=np.float64, na_value=np.nan)
            confidence = float(frame["confidence"].iloc[0])
            if not 0 < confidence < 1 or ((lower < 0) | (lower > 1)).any():
                raise InputError("the certificate holds an invalid share; certify again")
        given = evidence.reasons
        refusals: list[Plain | None] = [None] * n
        if isinstance(given, Reasons):
            check_same(given.index, advice.index, "reasons", "reasons(…) for the same people")
            refusals = [_plain(one) for one in given.refusals]
        elif given is not None:
            refusals = _from_frame(given, advice)
        return cls(lower, refusals, confidence, about)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> "Proof":
        """Some of the people, by a slice or by positions."""
        places = np.arange(len(self.refusals))[rows]
        refusals = [self.refusals[i] for i in places]
        return Proof(self.lower[rows], refusals, self.confidence, self.certificate)


def check_same(found: pd.Index, index: pd.Index, what: str, remedy: str) -> None:
    """Refuse what is about other people."""
    if not found.equals(index):
        raise InputError(f"the {what} are of other people; call {remedy}")


def _certificate(given: Any) -> tuple[pd.DataFrame, Plain]:
    """A certificate's table, given as such or not, and what holds for everybody."""
    if isinstance(given, Certificate):
        about = {"lower": given.lower, "tau": given.tau, "models": len(given.models)}
        frame = given.people.assign(confidence=given.confidence)
        return frame, {**about, "simultaneous": given.simultaneous}
    if not isinstance(given, pd.DataFrame):
        raise InputError(f"the certificate is {type_of(given)}; make it with certify(…)")
    absent = [name for name in ("lower", "confidence") if name not in given]
    if absent or not len(given):
        raise InputError(f"the certificate lacks {listing(absent)}; give what to_frame() gives")
    at_once = given["simultaneous"].iloc[0] if "simultaneous" in given else False
    models = int(given["models"].iloc[0]) if "models" in given else None
    return given, {"models": models, "simultaneous": str(at_once) == "True"}


def _plain(refusal: Refusal) -> Plain:
    """Reasons as plain values; infinity has a word."""
    return {
        "ending": refusal.ending,
        "blocking": refusal.blocking,
        "principal": [
            [one.column, *finite([one.necessity, one.sufficiency, one.goal])]
            for one in refusal.principal
        ],
    }


def _from_frame(given: Any, advice: Recommendations) -> list[Plain | None]:
    """Reasons from a table as `Reasons.to_frame` gives it; who is not in it has none."""
    if not isinstance(given, pd.DataFrame):
        raise InputError(f"the reasons are {type_of(given)}; make them with reasons(…)")
    columns = ["feature", "necessity", "sufficiency", "goal", "blocking"]
    absent = [name for name in columns if name not in given]
    if absent:
        raise InputError(f"the reasons lack {listing(absent)}; give what to_frame() gives")
    rows = advice.index.get_indexer(given.index)
    if (rows < 0).any():
        raise InputError("the reasons are of other people; call reasons(…) for the same people")
    names = advice.schema.names
    strange = sorted({str(name) for name in given["feature"]} - set(names))
    if strange:
        raise InputError(f"the reasons name {listing(strange)}, which the schema does not know")
    found: list[Plain | None] = [None] * len(advice)
    lines = zip(rows, *(given[name].tolist() for name in columns), strict=True)
    for row, feature, necessity, sufficiency, goal, blocking in lines:
        one = found[row] or {"ending": "proven", "blocking": int(blocking), "principal": []}
        one["principal"].append([names.index(feature), *finite([necessity, sufficiency, goal])])
        found[row] = one
    return found


def finite(value: Any) -> Any:
    """Plain values that JSON has; numbers that it lacks as texts."""
    if isinstance(value, Mapping):
        return {str(name): finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else str(float(value))
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    return value if isinstance(value, str | int | bool | None) else str(value)
