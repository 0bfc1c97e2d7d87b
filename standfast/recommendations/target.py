"""The share of models that advice was chosen for, and how many people's advice falls short."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.recommendations.provenance import Provenance

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """A share of models that should accept, as counted by the `models` that choose the advice.

    Advice is chosen because these very models accept it, so their share must exceed `validity` by
    one standard error, √(v(1 − v)/m): `needed` of the m models.

    >>> target = Target(0.9, 50)
    >>> target.needed, target.chance_below([47, 48, 50]).round(3)
    (48, array([0.25 , 0.112, 0.005]))
    """

    validity: float
    models: int

    @classmethod
    def of(cls, provenance: Provenance) -> "Target | None":
        """The target that advice was made for, or None if no share of models was asked for."""
        validity, models = provenance.settings.get("validity"), provenance.role("choose")
        return cls(float(validity), len(models)) if validity is not None and models else None

    @property
    def error(self) -> float:
        """The standard error of the number that accepts, √(v(1 − v)m)."""
        return math.sqrt(self.validity * (1.0 - self.validity) * self.models)

    @property
    def needed(self) -> int:
        """The least number of choosing models that must accept, at most all of them."""
        least = math.ceil(self.validity * self.models + self.error - 1e-9)
        return min(self.models, least)

    def chance_below(self, yes: ArrayLike) -> Vector:
        """For advice that `yes` choosing models accept: the chance that its true share is below v.

        P(Bin(m, v) ≥ yes) = I_v(yes, m − yes + 1). Exact where advice is made safer continuously
        until `yes` models accept: each model accepts from some point on, so the true share there is
        an order statistic of m uniform numbers, Beta(yes, m − yes + 1). A search that moves in
        steps overshoots, which makes the chance smaller; taking the cheaper of two ways that pass
        is one more choice by the same models, which can at most double it. Both are measured in
        tests/theory/test_shortfall.py.
        """
        from scipy.special import betainc

        k = np.asarray(yes, dtype=np.float64)
        chance: Vector = np.where(
            k > 0, betainc(np.maximum(k, 1.0), self.models - k + 1.0, self.validity), 1.0
        )
        return chance

    # what people read

    @property
    def share(self) -> str:
        """The validity as people write it."""
        return percent(self.validity)

    @property
    def sentence(self) -> str:
        """How many choosing models are asked for, and why that is more than the share."""
        whole = self.needed == self.models
        asked = f"all {self.models}" if whole else f"{self.needed} of the {self.models}"
        return (
            f"The target of {self.share} asks for {asked} choosing models: "
            f"{self.validity * self.models:.4g}, and one standard error ({self.error:.2g}) more "
            "because the same models choose the advice."
        )


@dataclass(frozen=True)
class Shortfall:
    """For how many people advice falls short of the target, as counted and as expected.

    `missed` counts those whose advice fewer choosing models accept than are needed. They are the
    models that chose: `expected` is the number of people whose advice is accepted by a smaller
    share than the target's of models that nobody has seen, the sum of `Target.chance_below`. People
    meet the same models, so their number can differ much from its expectation; a bound for each
    person is what `certify` gives, by models that neither searched nor chose.
    """

    target: Target
    advised: int
    missed: int
    expected: float

    @classmethod
    def counted(cls, target: Target, yes: ArrayLike) -> "Shortfall":
        """The shortfall of people with advice, from how many choosing models accept each one's."""
        counts = np.asarray(yes, dtype=np.float64)
        expected = float(target.chance_below(counts).sum())
        return cls(target, counts.size, int((counts < target.needed).sum()), expected)

    @property
    def sentence(self) -> str:
        """What to know before the advice is given."""
        share = self.target.share
        return (
            f"The target of {share} is missed for {self.missed} of {self.advised} people, as "
            "counted by the models that chose the advice. Of models that nobody has seen, fewer "
            f"than {share} accept the advice of an estimated {self.expected:.0f} of "
            f"{self.advised} people. A certificate gives a bound for each person."
        )


def accepting(yes: int, models: int) -> str:
    """How many choosing models accept advice, without the full stop."""
    return f"{yes} of the {models} choosing models accept this advice"


def percent(share: float) -> str:
    """A share as people write it.

    >>> percent(0.9), percent(0.975)
    ('90 %', '97.5 %')
    """
    return f"{100 * share:.3g} %"
