"""Transfer, certificates and multiplicity of a portfolio: counted part by part at flat memory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from standfast.certificate.certify import Certificate, check_enough, people_table
from standfast.certificate.independence import certifying, check_unseen
from standfast.certificate.lower_bound import check_share, lower_bound
from standfast.errors import InputError
from standfast.evaluation.multiplicity import Disagreement, reference_among
from standfast.evaluation.rivals import named
from standfast.evaluation.transfer import long_table, rival_table, verdicts
from standfast.portfolio.advice import Advice
from standfast.recommendations import Outcome
from standfast.rivals import LevelSet, Part
from standfast.scores import Score
from standfast.scores.acceptance import accepted

# what to do with the rows of each part: append them to a file, for instance
Sink = Callable[[pd.DataFrame], object]


@dataclass(frozen=True, repr=False)
class PortfolioTransfer:
    """What becomes of a portfolio's advice under each rival: `rivals` as in `Transfer`, counted.

    `advised` of the `people` got advice; `by_every` of these are kept by every rival, `by_none` by
    none.
    """

    rivals: pd.DataFrame
    people: int
    advised: int
    by_every: int
    by_none: int
    provenance: Mapping[str, Any]

    def __repr__(self) -> str:
        T = self.rivals["transfer"]
        return (
            f"<Transfer: n_E = {self.advised} of {self.people} people, {len(T)} rivals: mean T "
            f"{T.mean():.3f}, least {T.min():.3f} ({T.idxmin()})>"
        )


def transfer(
    advice: Advice,
    level_set: LevelSet | Mapping[str, Score] | Sequence[Score],
    *,
    confidence: float = 0.95,
    each: Sink | None = None,
) -> PortfolioTransfer:
    """The share of a portfolio's advice that each rival still accepts, as `sf.transfer` has it.

    `each` is called with the rows of every part, person, rival, kept and margin, which are not
    held.
    """
    rivals = named(level_set, advice.schema.names)
    kept, margins = np.zeros(len(rivals), dtype=np.int64), np.zeros(len(rivals))
    people = advised = by_every = by_none = 0
    for part in advice:
        found = part.found.to_numpy(dtype=bool)
        gaps, keeps = verdicts(part.matrices()[1][found], rivals)
        people, advised = people + len(part), advised + len(keeps)
        if len(keeps):
            kept, margins = kept + keeps.sum(axis=0), margins + gaps.sum(axis=0)
            by_every += int(keeps.all(axis=1).sum())
            by_none += int((~keeps).all(axis=1).sum())
        if each is not None and len(keeps):
            each(long_table(part.index[found], list(rivals), keeps, gaps))
    if not advised:
        raise InputError(f"nobody of '{advice.folder}' got a recommendation (n_E = 0)")
    table = rival_table(list(rivals), kept, advised, margins, confidence)
    about = {**advice.provenance, "rivals": {name: g.digest for name, g in rivals.items()}}
    return PortfolioTransfer(table, people, advised, by_every, by_none, about)


def certify(
    advice: Advice,
    models: Part | Sequence[Score] | Mapping[str, Score],
    confidence: float = 0.95,
    *,
    tau: float = 0.9,
    seen: Iterable[object] | Score = (),
    simultaneous: bool = False,
    each: Sink | None = None,
) -> Certificate:
    """Lower confidence bounds that a fresh model accepts a portfolio's advice; see `sf.certify`.

    The certificate's `people` are counts: a row for each number of models that accept, with how
    many people that is (`count`). `each` is called with the rows of every part, one for each
    person.
    """
    check_share(confidence=confidence)
    if isinstance(tau, bool) or not isinstance(tau, int | float) or not 0.0 < tau <= 1.0:
        raise InputError(f"tau is {tau!r}; it must lie above 0 and be at most 1, e.g. 0.9")
    found = certifying(models, len(advice.schema.names))
    check_unseen(advice.first, found, seen)
    n, m = advice.advised, len(found)
    if not n:
        raise InputError("nobody got a recommendation, so there is no promise to certify")
    level = 1.0 - (1.0 - confidence) / n if simultaneous else confidence
    check_enough(m, 0.5, level)
    kept, times = np.zeros(m, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
    names = pd.Index(list(found), name="model")
    by_model = pd.DataFrame({"kept": 0, "n_E": n, "transfer": 0.0, "enough": False}, index=names)
    about = {**advice.provenance, "certifying": {k: g.digest for k, g in found.items()}}

    def certificate(people: pd.DataFrame, table: pd.DataFrame, lower: float) -> Certificate:
        return Certificate(people, table, lower, confidence, tau, simultaneous, "", about)

    for part in advice:
        advised = part.found.to_numpy(dtype=bool)
        Y = part.matrices()[1][advised]
        says = np.zeros((len(Y), m), dtype=bool)
        for k, score in enumerate(found.values() if len(Y) else ()):
            says[:, k] = accepted(score, Y)
        kept += says.sum(axis=0)
        times += np.bincount(says.sum(axis=1), minlength=m + 1)
        if each is not None:
            rows = people_table(part, advised, says, level)
            each(certificate(rows, by_model, 0.0).to_frame().reset_index())
    enough = kept >= tau * n - 1e-9
    by_model = by_model.assign(kept=kept, transfer=kept / n, enough=enough)
    counts = np.arange(m + 1)
    people = pd.DataFrame(
        {
            "outcome": str(Outcome.FOUND),
            "advised": True,
            "count": times,
            "models": m,
            "kept": counts,
            "share": counts / m,
            "lower": lower_bound(counts, m, level),
        }
    )[times > 0]
    whole = float(lower_bound(int(enough.sum()), m, confidence))
    return certificate(people, by_model, whole)


@dataclass(frozen=True, repr=False)
class PortfolioMultiplicity:
    """How the reference and its rivals judge the people of a portfolio; see `Multiplicity`.

    `left_out` people contradict the schema and are not judged.
    """

    n: int
    left_out: int
    ambiguity: float
    discrepancy: float
    rivals: pd.DataFrame
    pairwise: pd.DataFrame

    def __repr__(self) -> str:
        return (
            f"<Multiplicity: {self.n} people, {len(self.rivals)} rivals: ambiguity "
            f"{self.ambiguity:.3f}, discrepancy {self.discrepancy:.3f}>"
        )


def multiplicity(
    level_set: LevelSet | Mapping[str, Score], advice: Advice, *, reference: Score | None = None
) -> PortfolioMultiplicity:
    """How far rivals disagree with the reference about the people of a portfolio, as they stand."""
    rivals = named(level_set, advice.schema.names)
    found = Disagreement(reference_among(level_set, reference, len(advice.schema)), rivals)
    left_out = 0
    for part in advice:
        odd = (part.outcome == Outcome.OUTSIDE_SCHEMA).to_numpy()
        left_out += int(odd.sum())
        if not odd.all():
            found.count(part.matrices()[0][~odd])
    if not found.n:
        raise InputError(f"nobody of '{advice.folder}' fits the schema, so nobody is judged")
    shares = found.ambiguity, found.discrepancy
    return PortfolioMultiplicity(found.n, left_out, *shares, found.by_rival(), found.pairwise())
