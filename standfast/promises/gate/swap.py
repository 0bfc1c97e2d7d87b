"""Champion and candidate on the same people: who swaps sides, and how well each one ranks."""

from dataclasses import dataclass

import numpy as np

from standfast.datasets import Dataset
from standfast.errors import InputError
from standfast.promises.gate.condition import Number
from standfast.rivals.risk import area_under_curve
from standfast.scores import Score
from standfast.scores.acceptance import accepted
from standfast.scores.score import Vector

BINS = 10
LEAST = 1e-4  # a share that is empty counts as so much, or the index were infinite


@dataclass(frozen=True)
class Swap:
    """How many people each pair of decisions has, and what the scores say.

    Without a champion, only the candidate's `auc` is known. `psi` compares the candidate's scores
    with the champion's, in tenths of the latter: Σ (a − e) ln(a / e). It means something where both
    scores are probabilities (`comparable`).
    """

    people: int
    both: int
    newly_accepted: int
    newly_refused: int
    neither: int
    auc: float
    champion_auc: float
    psi: float
    comparable: bool
    champion: str

    @classmethod
    def of(cls, people: Dataset, candidate: Score, champion: Score | None) -> "Swap":
        """The swap set of labelled people."""
        X, y = people.schema.matrix(people.table), people.labels.to_numpy()
        for model, name in ((candidate, "candidate"), (champion, "champion")):
            if model is not None and model.width != X.shape[1]:
                raise InputError(
                    f"the {name} reads {model.width} inputs and the people have {X.shape[1]}; "
                    "build both with one schema"
                )
        if not len(X):
            raise InputError("there is nobody in the table of people; give some")
        new, scores = accepted(candidate, X), candidate.score(X)
        old = new if champion is None else accepted(champion, X)
        before = None if champion is None else champion.score(X)
        return cls(
            len(X),
            int((old & new).sum()),
            int((~old & new).sum()),
            int((old & ~new).sum()),
            int((~old & ~new).sum()),
            area_under_curve(scores, y > 0),
            np.nan if before is None else area_under_curve(before, y > 0),
            np.nan if before is None else stability(before, scores),
            champion is not None and champion.probability and candidate.probability,
            "" if champion is None else champion.digest,
        )

    def numbers(self, confidence: float) -> dict[str, Number]:
        """What conditions may ask for."""
        found = {"auc": Number.exactly(self.auc)}
        if self.champion:
            found["auc_loss"] = Number.exactly(self.champion_auc - self.auc)
            found["psi"] = Number.exactly(self.psi)
            for name in ("newly_refused", "newly_accepted"):
                found[name] = Number.of_share(getattr(self, name), self.people, confidence)
        return found


def stability(before: Vector, now: Vector) -> float:
    """The population stability index: Σ (a − e) ln(a / e) over tenths of the scores before.

    >>> stability(np.arange(100.0), np.arange(100.0))
    0.0
    """
    edges = np.unique(np.quantile(before, np.linspace(0.0, 1.0, BINS + 1)[1:-1]))
    counts = [
        np.bincount(np.searchsorted(edges, s, side="left"), minlength=len(edges) + 1)
        for s in (before, now)
    ]
    e, a = (np.maximum(count / count.sum(), LEAST) for count in counts)
    return float(((a - e) * np.log(a / e)).sum())
