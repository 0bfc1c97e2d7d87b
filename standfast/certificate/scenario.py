"""The certificate that comes free with a search under drawn models: few of them were needed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.certificate.lower_bound import check_share, percent
from standfast.errors import InputError, check_whole
from standfast.methods import exact
from standfast.recommendations import Outcome, Provenance, Recommendations
from standfast.recommendations.provenance import ASKED
from standfast.rivals import Part
from standfast.scores import Score, Unanimous


def scenario_bound(n_models: int, binding: int, confidence: float = 0.95) -> float:
    """How often a fresh model breaks an answer that all N drawn models accept, at most.

    P(violation) ≤ 1 − (β/(N·C(N, s)))^(1/(N − s)), β = 1 − confidence, where s of the models alone
    would have given the same answer. 1, that is nothing, when all were needed.

    >>> [round(scenario_bound(*case), 2) for case in ((20, 3), (100, 5), (1000, 9))]
    [0.54, 0.24, 0.06]
    """
    check_whole(n_models=n_models)
    check_whole(0, binding=binding)
    check_share(confidence=confidence)
    N, s = int(n_models), int(binding)
    if s > N:
        raise InputError(f"{s} binding models of {N}; no more can bind than there are")
    if s == N:
        return 1.0
    choices = math.lgamma(N + 1) - math.lgamma(s + 1) - math.lgamma(N - s + 1)
    return -math.expm1((math.log1p(-confidence) - math.log(N) - choices) / (N - s))


@dataclass(frozen=True, repr=False)
class Scenario:
    """What the search itself certifies, person by person; see `scenario`.

    `people` has the outcome, how many of the drawn models were binding (s), and `lower`, the least
    share of models of this kind that would keep the promise; missing where nothing is certified.
    """

    people: pd.DataFrame
    drawn: int
    confidence: float

    def sentences(self) -> pd.Series:
        """What is certified of each person's promise, or why nothing is."""
        level = f"At {100 * self.confidence:.6g} % confidence"
        texts = [
            "The search certifies nothing: only proven minimal advice is determined by its models."
            if np.isnan(lower)
            else f"{level} at least {percent(lower)} of models of this kind would keep this "
            f"promise ({int(s)} of {self.drawn} drawn model{'s' * (self.drawn != 1)} "
            f"{'was' if s == 1 else 'were'} binding)."
            for s, lower in zip(self.people["binding"].fillna(0), self.people["lower"], strict=True)
        ]
        return pd.Series(texts, index=self.people.index, name="sentence", dtype=object)

    def to_frame(self) -> pd.DataFrame:
        """One row per person, with the certificate as a sentence."""
        return self.people.assign(sentence=self.sentences())

    def __repr__(self) -> str:
        lower = self.people["lower"].dropna()
        reach = f", at least {percent(lower.min())} to {percent(lower.max())}" if len(lower) else ""
        return (
            f"<Scenario: {len(lower)} of {len(self.people)} people certified by the search under "
            f"{self.drawn} drawn models{reach}>"
        )


def scenario(
    recommendations: Recommendations,
    model: Unanimous,
    drawn: Part | Sequence[Score],
    confidence: float = 0.95,
) -> Scenario:
    """The scenario bound of each person's advice under `Unanimous` of independently drawn models.

    `model` is what the advice was made under; its fingerprint must match. `drawn` are those of its
    members that were drawn alike and independently: only they are counted, as N and, where the
    table names them as binding, as s. A fixed reference among the members counts for neither: it is
    part of the problem, like the schema. Only proven minimal advice is certified, for another
    ending may be the clock's work. The margin must have been fixed before the draws were seen, and
    a draw left out of the search because it was awkward spoils the bound.
    """
    check_share(confidence=confidence)
    if not isinstance(model, Unanimous) or model.digest != recommendations.provenance.model:
        raise InputError(
            "the advice was not made under this model; give the very Unanimous([...]) that "
            "recommend was called with"
        )
    members = [score for score, _ in exact.members(model, 0.0)]
    marks = {score.digest for score in drawn}
    N = sum(member.digest in marks for member in members)
    missing = marks - {member.digest for member in members}
    if missing or not marks:
        which = f"{len(missing)} of the {len(marks)} drawn models" if marks else "no drawn model"
        raise InputError(
            f"{which} {'is' if len(missing) == 1 else 'are'} {'not ' * bool(marks)}among the "
            "members; the bound holds for advice that all drawn models accept: make it under all"
        )
    places = _places(recommendations.provenance, exact.names_of(model))
    taken = [[places[m] for m in found] for found in recommendations.results["binding"]]
    s = [sum(k is not None and members[k].digest in marks for k in found) for found in taken]
    proven = recommendations.outcome == Outcome.MINIMAL
    lower = [
        1.0 - scenario_bound(N, count, confidence) if sure and found else np.nan
        for count, sure, found in zip(s, proven, taken, strict=True)
    ]
    index = recommendations.index
    certified = ~np.isnan(lower)
    people = pd.DataFrame(
        {
            "outcome": recommendations.outcome,
            "binding": pd.Series(s, index=index, dtype="Int64").where(certified),
            "lower": lower,
        },
        index=index,
    )
    return Scenario(people, N, float(confidence))


def _places(origin: Provenance, names: Sequence[str]) -> list[int | None]:
    """Each model of the advice among the members; data support is no member, and drawn by nobody.

    A file of version 0.1.0 may know a member by its name only.
    """
    places: list[int | None] = []
    for k, used in enumerate(origin.models):
        if used.role != ASKED:
            places.append(None)
        elif used.digest:
            places.append(k)
        elif used.name in names:
            places.append(names.index(used.name))
        else:
            raise InputError(
                f"the advice names '{used.name}' as binding, which the members are not called; "
                "give the very Unanimous([...]) that recommend was called with"
            )
    return places
