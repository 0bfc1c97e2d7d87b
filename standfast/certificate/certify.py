"""certify(): how many models of a kind keep each promise, and all promises, at least."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from standfast.certificate.independence import certifying, check_unseen
from standfast.certificate.lower_bound import check_share, lower_bound, models_needed, percent
from standfast.errors import InputError
from standfast.recommendations import Outcome, Recommendations
from standfast.recommendations.recommendations import check_recommendations
from standfast.rivals import Part
from standfast.scores import Score
from standfast.scores.acceptance import accepted
from standfast.scores.score import Bools


@dataclass(frozen=True, repr=False)
class Certificate:
    """What fresh models certify about advice; one row per person, advised or not.

    `people` has for each person the outcome, how many certifying models accept x̃, their share and
    `lower`, the certified least share of models of this kind that would; missing without advice.
    `models` has for each certifying model how many of the promises it keeps, that share T, and
    whether it is at least `tau`. `lower` is the certified least probability that a fresh model
    keeps at least `tau` of the promises. People share the models, so their rows are never pooled:
    each person's certificate holds by itself at the given confidence, or, if `simultaneous`,
    everybody's at once. Certificates are about models drawn as these were, from this training
    table; about another class or later data they say nothing.
    """

    people: pd.DataFrame
    models: pd.DataFrame
    lower: float
    confidence: float
    tau: float
    simultaneous: bool
    note: str
    provenance: Mapping[str, Any]

    @property
    def n(self) -> int:
        """n_E: how many people got a recommendation."""
        times = self.people.get("count", 1)  # of a portfolio, rows stand for many
        return int((self.people["advised"] * times).sum())

    @property
    def sentence(self) -> str:
        """What is certified of all promises together."""
        n = self.n
        promises = "the promise" if n == 1 else f"the {n} promises"
        return (
            f"At {_plain(self.confidence)} confidence a fresh model of this kind keeps at least "
            f"{_plain(self.tau)} of {promises} with probability at least {percent(self.lower)} "
            f"({int(self.models['enough'].sum())} of {_counted(len(self.models))} did)."
        )

    def sentences(self) -> pd.Series:
        """What is certified of each person's promise, or why nothing is."""
        m = len(self.models)
        level = f"At {_plain(self.confidence)} confidence"
        if self.simultaneous:
            level += ", for everybody at once,"
        texts = [
            f"{level} at least {percent(lower)} of models of this kind would keep this promise "
            f"({int(kept)} of {_counted(m)} did)."
            if advised
            else f"No promise, no certificate: {_lowered(Outcome(outcome).sentence)}"
            for advised, outcome, kept, lower in zip(
                self.people["advised"],
                self.people["outcome"],
                self.people["kept"].fillna(0),
                self.people["lower"],
                strict=True,
            )
        ]
        return pd.Series(texts, index=self.people.index, name="sentence", dtype=object)

    def to_frame(self) -> pd.DataFrame:
        """One row per person, with the certificate as a sentence, and at which confidence."""
        return self.people.assign(
            sentence=self.sentences(),
            confidence=self.confidence,
            simultaneous=self.simultaneous,
        )

    def __repr__(self) -> str:
        lower = self.people["lower"].dropna()
        return (
            f"<Certificate: n_E = {self.n} of {len(self.people)} people, "
            f"{_counted(len(self.models))}, {_plain(self.confidence)} confidence: each promise "
            f"is kept by at least {percent(lower.min())} to {percent(lower.max())} of "
            f"models of this kind; P(T ≥ {self.tau:g}) ≥ {np.floor(self.lower * 1000) / 1000:.3f}>"
        )


def certify(
    recommendations: Recommendations,
    models: Part | Sequence[Score] | Mapping[str, Score],
    confidence: float = 0.95,
    *,
    tau: float = 0.9,
    seen: Iterable[object] | Score = (),
    simultaneous: bool = False,
    validity: float = 0.5,
) -> Certificate:
    """Lower confidence bounds that a fresh model accepts the advice, for each person and overall.

    Per person, k of m accept ⇒ P(accepts) ≥ BetaInv(β; k, m − k + 1), Clopper and Pearson's
    one-sided bound with β = 1 − confidence. Overall the same bound counts the models that keep at
    least `tau` of the promises.

    Parameters
    ----------
    recommendations : Recommendations
        The advice.
    models : Part, sequence or mapping of Score
        Independent draws that nothing has used before: normally `fresh.certify`. In a `Part` two
        draws that came out alike count as two, as independent draws do (leaving one out would
        favour rare models); in a bare list they are refused as one model given twice.
    confidence, tau : float
        The confidence of the bounds, and the share of promises that a model is asked to keep.
    seen : iterable of Score, optional
        Whatever else the search or the choice of a margin has used (`[fresh.search,
        fresh.choose]`). Certifying models must not be among these, nor in the advice's provenance;
        advice under `Unanimous` may not name its members, so they must be given.
    simultaneous : bool
        Certify all people at once, with β/n_E.
    validity : float
        What a certificate must at least be able to say: with fewer models than that takes, nothing
        is certified.

    Returns
    -------
    Certificate
        `people` and `models`, a table each; `lower`, the bound overall; `sentences()`.

    Examples
    --------
    >>> import standfast as sf
    >>> schema = sf.Schema((sf.Feature("income", "count"),))
    >>> people = pd.DataFrame({"income": [1, 2, 3, 4, 9]})
    >>> best = sf.MinimalCost(schema, sf.Percentiles.fit(people), margin=1.0)
    >>> advice = sf.recommend(best, sf.Linear([1.0], -2.5), people)
    >>> rng = np.random.default_rng(0)
    >>> drawn = [sf.Linear([1.0], offset) for offset in rng.normal(-2.5, 0.5, 59)]
    >>> print(certify(advice, drawn).sentences()[0])
    At 95 % confidence at least 95 % of models of this kind would keep this promise (59 of 59
    models did).
    """
    check_share(confidence=confidence, validity=validity)
    if isinstance(tau, bool) or not isinstance(tau, int | float) or not 0.0 < tau <= 1.0:
        raise InputError(f"tau is {tau!r}; it must lie above 0 and be at most 1, e.g. 0.9")
    check_recommendations(recommendations)
    found = certifying(models, len(recommendations.schema.names))
    check_unseen(recommendations, found, seen)
    advised = recommendations.found.to_numpy(dtype=bool)
    n = int(advised.sum())
    if not n:
        raise InputError("nobody got a recommendation, so there is no promise to certify")
    each = 1.0 - (1.0 - confidence) / n if simultaneous else confidence
    check_enough(len(found), validity, each)
    Y = recommendations.matrices()[1][advised]
    kept = np.column_stack([accepted(score, Y) for score in found.values()])
    m, people = kept.shape[1], people_table(recommendations, advised, kept, each)
    T = kept.mean(axis=0)
    enough = kept.sum(axis=0) >= tau * n - 1e-9
    by_model = pd.DataFrame(
        {"kept": kept.sum(axis=0), "n_E": n, "transfer": T, "enough": enough},
        index=pd.Index(list(found), name="model"),
    )
    about = {
        **recommendations.provenance,
        "certifying": {name: score.digest for name, score in found.items()},
    }
    whole = float(lower_bound(int(enough.sum()), m, confidence))
    note = _twins(found)
    return Certificate(
        people, by_model, whole, float(confidence), float(tau), bool(simultaneous), note, about
    )


def people_table(
    recommendations: Recommendations, advised: Bools, kept: Bools, confidence: float
) -> pd.DataFrame:
    """Each person's certificate, from which models (columns) accept the advised (rows)."""
    m, index, count = kept.shape[1], recommendations.index, np.zeros(len(advised))
    count[advised] = kept.sum(axis=1)
    return pd.DataFrame(
        {
            "outcome": recommendations.outcome,
            "advised": advised,
            "models": m,
            "kept": pd.Series(count, index=index).astype("Int64").where(advised),
            "share": pd.Series(count / m, index=index).where(advised),
            "lower": pd.Series(lower_bound(count, m, confidence), index=index).where(advised),
        },
        index=index,
    )


def check_enough(m: int, validity: float, confidence: float) -> None:
    """Refuse so few models that they could not certify anything worth saying."""
    most = (1.0 - confidence) ** (1.0 / m)
    needed = models_needed(validity, confidence)
    if m < needed:
        usual = ", ".join(f"{models_needed(v, confidence)} for {v:g}" for v in (0.9, 0.95, 0.99))
        raise InputError(
            f"{_counted(m)} certif{'y' if m != 1 else 'ies'} at most {percent(most)} even if all "
            f"accept, and {percent(validity)} is asked for, which takes {needed}; draw more "
            f"({usual}, all accepting)"
        )


def _twins(found: Mapping[str, Score]) -> str:
    twins = len(found) - len({score.digest for score in found.values()})
    if not twins:
        return ""
    return (
        f"{twins} of the {len(found)} draws came out like another one; as independent draws each "
        "counts"
    )


def _plain(share: float) -> str:
    return f"{100 * share:.6g} %"


def _counted(m: int) -> str:
    return f"{m} model{'s' * (m != 1)}"


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
